import type { Style } from "./style.ts";

/** Colours one line of code after the other; what spans lines is remembered. */
export type Highlighter = (line: string) => string;

interface Language {
  readonly line: readonly string[];
  /** Start and end of what may span lines. */
  readonly block: readonly (readonly [start: string, end: string])[];
  readonly quotes: string;
  readonly words: ReadonlySet<string>;
}

const words = (text: string) => new Set(text.split(" "));

const C_WORDS =
  "break case catch class const continue default do else enum export extends false finally for function if import in instanceof interface let new null return static super switch this throw true try type typeof var void while yield async await of from as public private protected readonly struct int char long float double bool fn impl mut pub use mod match trait where package func defer go range chan map nil self override abstract namespace using";

const C: Language = { line: ["//"], block: [["/*", "*/"]], quotes: "\"'`", words: words(C_WORDS) };

const HASH: Language = {
  line: ["#"],
  block: [],
  quotes: "\"'",
  words: words(
    "if then else elif fi for while do done case esac in function return export local def class import from as with try except finally raise pass lambda yield None True False and or not is end module require unless begin rescue nil true false set echo",
  ),
};

const PYTHON: Language = {
  ...HASH,
  block: [
    ['"""', '"""'],
    ["'''", "'''"],
  ],
};

const SQL: Language = {
  line: ["--"],
  block: [["/*", "*/"]],
  quotes: "'\"",
  words: words(
    "select from where insert into values update set delete create table drop alter join left right on group by order limit and or not null as primary key SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE DROP ALTER JOIN LEFT RIGHT ON GROUP BY ORDER LIMIT AND OR NOT NULL AS PRIMARY KEY",
  ),
};

const MARKUP: Language = { line: [], block: [["<!--", "-->"]], quotes: "\"'", words: words("") };

const LANGUAGES: Readonly<Record<string, Language>> = {
  ...named(
    "js jsx ts tsx mjs cjs javascript typescript java c h cpp cc cxx csharp cs go rust rs swift kotlin kt scala php dart css scss less json jsonc json5 proto zig",
    C,
  ),
  ...named(
    "sh bash zsh shell console rb ruby yaml yml toml ini conf dockerfile make makefile r perl pl elixir ex nix hcl tf",
    HASH,
  ),
  ...named("py python", PYTHON),
  ...named("sql", SQL),
  ...named("html xml svg vue svelte markdown md", MARKUP),
};

function named(names: string, language: Language) {
  return Object.fromEntries(names.split(" ").map((name) => [name, language]));
}

/** Longer lines are data. */
const MAX_LINE = 2_000;

/** Comments, strings, numbers and words of a language. An unknown one stays as it is; a diff gets its own colours. */
export function highlighter(name: string, style: Style): Highlighter {
  const key =
    name
      .trim()
      .split(/[\s,{:]/)[0]
      ?.toLowerCase() ?? "";
  if (key === "diff" || key === "patch") return (line) => diffLine(line, style);
  const language = Object.hasOwn(LANGUAGES, key) ? LANGUAGES[key] : undefined;
  if (language === undefined) return (line) => line;
  const token = tokenPattern(language);
  let closing: string | undefined;
  return (line) => {
    if (line.length > MAX_LINE) return line;
    let text = "";
    let rest = line;
    if (closing !== undefined) {
      const at = rest.indexOf(closing);
      if (at === -1) return style.dim(rest);
      text = style.dim(rest.slice(0, at + closing.length));
      rest = rest.slice(at + closing.length);
      closing = undefined;
    }
    return (
      text +
      rest.replaceAll(
        token,
        (found, comment: string | undefined, quoted: string | undefined, digits: string | undefined) => {
          if (comment !== undefined) {
            const block = language.block.find(([start]) => found.startsWith(start));
            if (block !== undefined && !found.slice(block[0].length).endsWith(block[1])) closing = block[1];
            return style.dim(found);
          }
          if (quoted !== undefined) return style.green(found);
          if (digits !== undefined) return style.yellow(found);
          return language.words.has(found) ? style.magenta(found) : found;
        },
      )
    );
  };
}

/** One pass over a line: a comment, a string, a number, or a word. */
function tokenPattern({ line, block, quotes }: Language): RegExp {
  const escaped = (text: string) => text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`);
  const comments = [
    ...block.map(([start, end]) => `${escaped(start)}.*?(?:${escaped(end)}|$)`),
    ...line.map((start) => `(?<![^\\s;{}(),])${escaped(start)}.*$`),
  ];
  const strings = Array.from(quotes, (quote) => `${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}`);
  const never = "(?!)";
  return new RegExp(
    `(${comments.join("|") || never})|(${strings.join("|") || never})|\\b(\\d[\\w.]*)\\b|[A-Za-z_]\\w*`,
    "g",
  );
}

/** A line of a unified diff. */
export function diffLine(line: string, style: Style): string {
  if (line.startsWith("@@")) return style.cyan(line);
  if (line.startsWith("+++") || line.startsWith("---")) return style.bold(line);
  if (line.startsWith("+")) return style.green(line);
  return line.startsWith("-") ? style.red(line) : line;
}
