import { stripVTControlCharacters } from "node:util";
import type { OutputPart } from "./output-window.ts";

/** Characters of a command's output that a model gets to see. */
const MOST_HEAD = 10_000;
const MOST_TAIL = 20_000;

/** Output as a model should read it: no colours, no overwritten progress lines, no bytes that are no text, and not too much. */
export function showOutput(part: OutputPart, file: string): string {
  const { head, tail, lost, total, kept } = part;
  if (isBinary(head)) return `(${total} bytes that are no text; ${where(file, kept, total)})`;
  const whole = lost === 0 ? clean(Buffer.concat([head, tail])) : undefined;
  if (whole !== undefined && whole.length <= MOST_HEAD + MOST_TAIL) return whole;
  const begin = (whole ?? clean(head)).slice(0, MOST_HEAD);
  const end = (whole ?? clean(tail)).slice(-MOST_TAIL);
  return `${upToLine(begin)}\n[… left out; ${total} bytes in all, ${where(file, kept, total)} …]\n${fromLine(end)}`;
}

const where = (file: string, kept: number, total: number) =>
  kept < total ? `the first ${kept} of them are in ${file}` : `all of them are in ${file}`;

const clean = (bytes: Buffer) =>
  stripVTControlCharacters(bytes.toString("utf8"))
    .split("\n")
    .map(lastWritten)
    .join("\n")
    .replaceAll("\r\n", "\n")
    .replace(CONTROL, "");

/** What stands after the last return to the start of the line. No expression: it would read a long line again and again. */
const lastWritten = (line: string) => line.slice(line.slice(0, -1).lastIndexOf("\r") + 1);

/** What is left of control characters, but for tab and line end. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

const upToLine = (text: string) => (text.includes("\n") ? text.slice(0, text.lastIndexOf("\n")) : text);
const fromLine = (text: string) => (text.includes("\n") ? text.slice(text.indexOf("\n") + 1) : text);

const SAMPLE = 8192;

/** A zero byte, or more broken characters than a cut in the middle of one explains. */
function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  if (sample.includes(0)) return true;
  const broken = new TextDecoder().decode(sample).split("\ufffd").length - 1;
  return broken > 3 && broken * 20 > sample.length;
}
