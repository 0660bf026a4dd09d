import { printableLine } from "./printable.ts";

/** A text between tags that name its source. The text cannot close the tag, and the source cannot leave its quotes. */
export function wrapText(tag: string, source: string, text: string): string {
  const tags = new RegExp(`<(/?\\s*${tag})`, "gi");
  return `<${tag} source="${attribute(source)}">\n${text.trim().replaceAll(tags, "&lt;$1")}\n</${tag}>`;
}

const attribute = (text: string) => printableLine(text).replaceAll(/["<>&]/g, "_");
