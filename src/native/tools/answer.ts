import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolDeed } from "../../contract/engine-event.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import { randomId } from "../../lib/files/random-id.ts";

/** A successful result. */
export const answer = (text: string, deeds: readonly ToolDeed[] = []): ToolOutput => ({ text, failed: false, deeds });

/** A failed result that says why, and what would work. */
export const failure = (text: string, deeds: readonly ToolDeed[] = []): ToolOutput => ({ text, failed: true, deeds });

const MAX_TEXT = 40_000;

/** A text short enough for a model. A longer text goes to a file the model can read, and the result says where. */
export function boundText(text: string, folder: string): string {
  if (text.length <= MAX_TEXT) return text;
  const file = join(folder, `text-${randomId().slice(0, 12)}.txt`);
  writeFileSync(file, text, { flag: "wx", mode: 0o600 });
  return `${text.slice(0, MAX_TEXT)}\n[… ${text.length - MAX_TEXT} more characters; the whole text is in ${file}]`;
}
