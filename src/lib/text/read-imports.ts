const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CODE_SPAN = /(`+[^`]*`+)/;
const IMPORT = /(^|\s)@((?:\.{0,2}\/|~\/)?[\w.-](?:[^\s\\`]|\\ )*)/g;

/** The imports of a text, code excluded, and the text with these imports disabled. */
export function readImports(text: string): { readonly text: string; readonly imports: readonly string[] } {
  const imports: string[] = [];
  let fence: string | undefined;
  const lines = text.split("\n").map((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
      return line;
    }
    if (mark !== undefined) {
      fence = mark;
      return line;
    }
    return line
      .split(CODE_SPAN)
      .map((piece, index) =>
        index % 2 === 1
          ? piece
          : piece.replaceAll(IMPORT, (_, before: string, name: string) => {
              imports.push(name.replaceAll("\\ ", " ").replace(/#.*$/, ""));
              return `${before}\`@${name}\``;
            }),
      )
      .join("");
  });
  return { text: lines.join("\n").replaceAll(WORD, withoutPath), imports };
}

const WORD = /(?:\\ |\S)+/g;
const FAR = /@~?\/|\.\.\/|<!--/;

/** Markdown readers differ in what they take for code, so backticks are not enough for a path that leads elsewhere. */
function withoutPath(word: string): string {
  return word.includes("@") && FAR.test(word) ? word.replaceAll("@", "@ ") : word;
}
