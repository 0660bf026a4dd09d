/** Where in a shell script a value is put. */
export type FrameKind =
  | "plain"
  | "single"
  | "double"
  /** `$'…'`. */
  | "ansi"
  | "backtick"
  /** `${…}`. */
  | "parameter"
  /** `$((…))` and `((…))`. */
  | "arithmetic"
  /** The text of a here-document whose delimiter is not quoted. */
  | "heredoc";

/** What a value must look like at a position, so that the shell or another program cannot take it for code. */
export type ValueRule = "any" | "number" | "harmless";

export interface Frame {
  readonly kind: FrameKind;
  /** Where its content begins. */
  readonly start: number;
  /** Where the current simple command begins. */
  command: number;
  /** Open parentheses that do not end the frame. */
  depth: number;
  /** Open `case … esac`, in which `)` ends a pattern. */
  cases: number;
  /** Where the `[[` began that is still open. */
  test: number | undefined;
}

const PREFIX =
  "^\\s*(?:(?:[A-Za-z_]\\w*=\\S*|if|then|else|elif|while|until|do|!|\\{|sudo|env|exec|command|builtin|nohup|time|timeout\\s+\\S+|nice)\\s+)*(?:\\S*/)?";

/** Programs that take an argument as code. */
const CODE_ARGUMENT = new RegExp(
  `${PREFIX}(?:eval|trap|ssh|awk|gawk|mawk|osascript|(?:ba|da|z|k|a|fi)?sh\\b[^]*\\s-\\w*c|su\\b[^]*\\s-\\w*c|python[\\d.]*\\b[^]*\\s-\\w*c|(?:node|bun|deno)\\b[^]*\\s(?:-\\w*[ep]|--eval|--print|eval)|perl\\b[^]*\\s-\\w*[eE]|ruby\\b[^]*\\s-\\w*e|php\\b[^]*\\s-\\w*r|xargs\\b[^]*\\bsh\\b)(?=[\\s"'])`,
);

/** Programs that take their input as code. */
const CODE_INPUT = new RegExp(
  `${PREFIX}(?:(?:ba|da|z|k|a|fi)?sh|ssh|su|python[\\d.]*|node|bun|deno|perl|ruby|php|psql|mysql|sqlite3|osascript)(?=[\\s<])`,
);

/** Commands that evaluate an argument as arithmetic, in which `a[$(command)]` runs the command. */
const ARITHMETIC_ARGUMENT = new RegExp(
  `${PREFIX}(?:let|unset|(?:declare|typeset|local|export|readonly)\\s+-\\w*[in]|(?:test|\\[)\\s[^]*-v|printf\\s+-v|read|mapfile|readarray)(?=\\s)`,
);

const ARITHMETIC_TEST = /\s-(?:eq|ne|lt|le|gt|ge|v)\s/;

/** Whether a simple command reads code from its input. */
export const readsCode = (command: string): boolean => CODE_INPUT.test(command);

/** What a value must look like at `at`, in these frames of a script, the innermost last. */
export function ruleAt(source: string, at: number, frames: readonly Frame[]): ValueRule {
  const inner = frames.at(-1);
  if (frames.some(({ kind }) => kind === "arithmetic")) return "number";
  if (inner?.kind === "parameter" && !isTextPart(source.slice(inner.start, at))) return "number";
  const around = frames.findLast(({ kind }) => kind === "plain" || kind === "backtick");
  if (around === undefined) return "any";
  if (around.test !== undefined && ARITHMETIC_TEST.test(testAround(source, around.test, at))) return "number";
  const before = source.slice(around.command, at);
  if (/(?:^|\s)[A-Za-z_]\w*\[["']?$/.test(before) || ARITHMETIC_ARGUMENT.test(before)) return "number";
  return CODE_ARGUMENT.test(before) ? "harmless" : "any";
}

/** The word after `:-`, `#`, `/` and the like is text; a subscript or an offset is arithmetic. */
const isTextPart = (before: string) => /^!?\w+(?:\[[^\]]*\])?(?::?[-=+?]|[#%/^,])/.test(before);

function testAround(source: string, start: number, at: number): string {
  const end = source.indexOf("]]", at);
  return source.slice(start, end === -1 ? source.length : end);
}
