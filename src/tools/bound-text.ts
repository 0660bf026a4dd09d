import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomId } from "../lib/random-id.ts";

const MAX_TEXT = 40_000;

/** A text that a model can take in; what is longer goes to a file that it can read, and the text says where. */
export function boundText(text: string, folder: string): string {
  if (text.length <= MAX_TEXT) return text;
  const file = join(folder, `text-${randomId().slice(0, 12)}.txt`);
  writeFileSync(file, text, { flag: "wx", mode: 0o600 });
  return `${text.slice(0, MAX_TEXT)}\n[… ${text.length - MAX_TEXT} more characters; the whole text is in ${file}]`;
}
