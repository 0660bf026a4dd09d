/**
 * Breaks text into lines of at most `width` characters, at blanks where there are any. Line breaks of the text stay.
 */
export function wrapLines(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(" ", width);
    const end = blank > 0 ? blank : width;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/**
 * Help text in lines of at most `width`: paragraphs are filled again, lists are wrapped below themselves. Examples stay
 * as they are, because they are copied.
 */
export function fitHelp(text: string, width: number): string {
  return text
    .split(/(?<=\n)(?=\n)/)
    .map((block) => fitBlock(block, width))
    .join("");
}

function fitBlock(block: string, width: number): string {
  const lines = block.replace(/\n$/, "").split("\n");
  if (lines.every((line) => line.length <= width) || lines.some((line) => /^Examples?:/.test(line))) return block;
  const body = lines.filter((line) => line !== "");
  const isParagraph = body.every((line) => /^\S/.test(line));
  const fitted = isParagraph ? wrapLines(body.join(" "), width) : body.flatMap((line) => fitLine(line, width));
  return `${block.startsWith("\n") ? "\n" : ""}${fitted.join("\n")}${block.endsWith("\n") ? "\n" : ""}`;
}

/** A row of a table is continued below its text, and items with wide gaps between them are not torn apart. */
function fitLine(line: string, width: number): readonly string[] {
  const [, row = "", text = ""] = /^( *\S+ {2,})(\S.*)$/.exec(line) ?? [];
  const indent = /^ */.exec(line)?.[0] ?? "";
  if (row !== "")
    return wrapLines(text, width - row.length).map((part, at) => `${at === 0 ? row : " ".repeat(row.length)}${part}`);
  return packed(line.trim().split(/ {3,}/), width - indent.length)
    .flatMap((part) => wrapLines(part, width - indent.length))
    .map((part) => `${indent}${part}`);
}

const GAP = "   ";

function packed(items: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const item of items) {
    const longer = `${lines.at(-1) ?? ""}${GAP}${item}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(item);
  }
  return lines;
}
