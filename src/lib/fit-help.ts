import { wrapLines } from "./wrap-lines.ts";

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

function fitLine(line: string, width: number): readonly string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  return wrapLines(line.slice(indent.length), width - indent.length).map((part) => `${indent}${part}`);
}
