/** An awk program taken apart: its code with strings, regular expressions and comments cut out, and the strings. */
export interface AwkCode {
  /** Strings stand as `"0"`, `"1"` …, regular expressions as `0`. */
  readonly code: string;
  readonly strings: readonly string[];
  /** Whether some awk could read it otherwise. */
  readonly doubtful: boolean;
}

const STRING = /"(?:\\[^]|[^"\\\n])*"/y;
/** A slash inside brackets ends the expression for some awks and not for others. */
const EXPRESSION = /\/(?:\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\\n])*\]|[^/\\\n[])*\//y;
const COMMENT = /#[^\n]*/y;
const NUMBER_OR_NAME = /[A-Za-z_0-9.$]+/y;

/** Reads the program from left to right, as awk itself does: what a slash or a quote means depends on what stands before. */
export function readAwkCode(program: string): AwkCode {
  const strings: string[] = [];
  let [code, doubtful, at] = ["", false, 0];
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(program)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  while (at < program.length) {
    const next = program[at];
    if (next === '"') {
      const string = take(STRING);
      if (string === undefined) return { code: code + program.slice(at), strings, doubtful: true };
      code += `"${strings.push(string.slice(1, -1)) - 1}"`;
    } else if (next === "#") {
      if (take(COMMENT)?.includes("\\")) doubtful = true;
    } else if (next === "/" && mayBeExpression(code)) {
      const expression = take(EXPRESSION);
      if (expression === undefined) return { code: code + program.slice(at), strings, doubtful: true };
      if (expression.slice(1, -1).replaceAll(/\\./g, "").includes("/")) doubtful = true;
      code += " 0 ";
    } else code += take(NUMBER_OR_NAME) ?? program[at++] ?? "";
  }
  return { code, strings, doubtful };
}

/** After a value a slash divides; everywhere else it opens a regular expression. */
function mayBeExpression(before: string): boolean {
  const text = before.replace(/[ \t]+$/, "");
  return !/[\w$)\]"]$/.test(text) || /\b(?:print|printf|return|in|case|getline)$/.test(text);
}
