import type { MarkedBlock } from "./sources/change.ts";
import { type Inserted, Unfit } from "./json-edit.ts";

const MARKERS = {
  html: ["<!-- signalbox:start -->", "<!-- signalbox:end -->"],
  hash: ["# signalbox:start", "# signalbox:end"],
} as const;

/** Adds our lines at the end of a text, between markers. Undefined if exactly these lines are already there. */
export function insertBlock(text: string, block: MarkedBlock): Inserted | undefined {
  const [start, end] = MARKERS[block.comment];
  if (block.text.includes(start) || block.text.includes(end)) throw new Unfit("our own text contains the markers");
  if (hasBlock(text, block)) return undefined;
  if (text.includes(start)) throw new Unfit(`the block after ${start} was edited`);
  const lineEnd = lineEndOf(text);
  const gap = text === "" ? "" : text.endsWith("\n") ? lineEnd : lineEnd + lineEnd;
  const piece = { offset: text.length, text: `${gap}${blockText(block, lineEnd)}${lineEnd}` };
  return { text: text + piece.text, pieces: [piece], made: 0 };
}

export function hasBlock(text: string, block: MarkedBlock): boolean {
  return text.includes(blockText(block, lineEndOf(text)));
}

/** Removes our lines from a text that was edited since. Undefined if they are not there as we wrote them. */
export function removeBlock(text: string, block: MarkedBlock): string | undefined {
  const lineEnd = lineEndOf(text);
  const ours = blockText(block, lineEnd);
  const at = text.indexOf(ours);
  if (at === -1) return undefined;
  const before = text.slice(0, at);
  const after = text.slice(at + ours.length);
  // The empty line before the block was added with it.
  const gap = before.endsWith(lineEnd + lineEnd) ? lineEnd.length : 0;
  return before.slice(0, before.length - gap) + (after.startsWith(lineEnd) ? after.slice(lineEnd.length) : after);
}

function blockText({ comment, text }: MarkedBlock, lineEnd: string): string {
  const [start, end] = MARKERS[comment];
  return [start, ...text.trimEnd().split(/\r?\n/), end].join(lineEnd);
}

const lineEndOf = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n");
