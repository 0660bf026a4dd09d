/** A parsed awk program: its code without strings, regular expressions and comments, and the strings. */
export interface AwkCode {
  /** Strings appear as `"0"`, `"1"` …, regular expressions as `0`. */
  readonly code: string;
  readonly strings: readonly string[];
  /** Some awk might parse it differently. */
  readonly doubtful: boolean;
}

const STRING = /"(?:\\[^]|[^"\\\n])*"/y;
/** A slash inside brackets ends the expression in some awks only. */
const EXPRESSION = /\/(?:\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\\n])*\]|[^/\\\n[])*\//y;
const COMMENT = /#[^\n]*/y;
const NUMBER_OR_NAME = /[A-Za-z_0-9.$]+/y;

/**
 * Scans the program from left to right like awk, because the meaning of a slash or quote depends on what precedes it.
 */
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

/** After a value a slash divides; anywhere else it starts a regular expression. */
function mayBeExpression(before: string): boolean {
  const text = before.replace(/[ \t]+$/, "");
  return !/[\w$)\]"]$/.test(text) || /\b(?:print|printf|return|in|case|getline)$/.test(text);
}
