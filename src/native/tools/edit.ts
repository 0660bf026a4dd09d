import * as z from "zod";
import type { Tool } from "../../contract/tool.ts";
import { decodeText, encodeText } from "../../lib/text/text-form.ts";
import { answer, failure } from "./answer.ts";
import { saveSeen, seenFile } from "./editor-buffers.ts";
import type { FileParts } from "./read.ts";
import { writeJudged } from "./write.ts";

const Input = z.strictObject({
  path: z.string().min(1),
  edits: z
    .array(
      z.strictObject({
        old_string: z.string().describe("exact text in the file; must occur once unless replace_all"),
        new_string: z.string(),
        replace_all: z.boolean().default(false),
      }),
    )
    .min(1)
    .max(100),
});

export const edit = ({ gate, states, buffers }: FileParts): Tool<typeof Input> => ({
  name: "edit",
  description: "Replace text in a file you have read. Edits are applied in order, all or none.",
  input: Input,
  sideBySide: false,
  async run({ path, edits }, { callId, signal }) {
    const place = { buffers, signal };
    return await writeJudged(path, { callId, gate }, async ({ real, present, onDisk, replace }) => {
      if (present === undefined) return failure(`${real} does not exist; use write to create it`);
      const seen = await seenFile(real, present.bytes, place);
      const objection = states.objectTo(real, seen.bytes);
      if (objection !== undefined) return failure(objection);
      const form = decodeText(seen.bytes);
      if (form === undefined) return failure(`${real} is not text`);
      const text = applyEdits(form.text, edits);
      const bytes = encodeText({ ...form, text });
      const note = await saveSeen({ real, seen, text, bytes, onDisk, replace }, place);
      states.wrote(real, bytes);
      const done = `changed ${real} (${edits.length} ${edits.length === 1 ? "edit" : "edits"})`;
      return answer([done, note].join("\n").trimEnd(), [{ kind: "write", path: real, before: form.text, after: text }]);
    });
  },
});

interface TextEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

/**
 * Applies edits in order, all or none: the first that does not fit throws and identifies itself.
 * Line endings are ignored when searching; inserted text takes the line endings of its surroundings, and everything
 * else stays.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduce((current, edit, index) => {
    const problem = (what: string) =>
      new Error(`${edits.length === 1 ? "" : `edit ${index + 1} of ${edits.length}: `}${what}; nothing was changed`);
    const old = unix(edit.old_string);
    if (old === "") throw problem("old_string is empty; use write for a new file");
    if (old === unix(edit.new_string)) throw problem("old_string and new_string are the same");
    const plain = unix(current);
    const places = findAll(plain, old);
    if (places.length === 0) throw problem(`old_string is not in the file${hint(plain, old)}`);
    if (places.length > 1 && !edit.replace_all)
      throw problem(
        `old_string is in the file ${places.length} times (lines ${places
          .slice(0, 5)
          .map((place) => lineOf(plain, place))
          .join(", ")}${places.length > 5 ? ", …" : ""}); add lines around it, or set replace_all`,
      );
    return replaceAt(current, places, { length: old.length, text: unix(edit.new_string) });
  }, text);
}

const unix = (text: string) => text.replaceAll("\r\n", "\n");

function findAll(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

const lineOf = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

/** Where the first line of the search text occurs, ignoring whitespace. */
function hint(text: string, old: string): string {
  const first = old
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "");
  const line = first === undefined ? -1 : text.split("\n").findIndex((candidate) => candidate.trim() === first);
  return line === -1
    ? ""
    : `; its first line matches line ${line + 1}, so check the whitespace and the following lines`;
}

/** Replaces each range with `text`. Positions are counted without carriage returns, and the ranges may span them. */
function replaceAt(
  current: string,
  places: readonly number[],
  { length, text }: { readonly length: number; readonly text: string },
): string {
  const pairs = pairPositions(current);
  const mostly = pairs.length * 2 > current.split("\n").length - 1;
  let result = "";
  let done = 0;
  for (const place of places) {
    const from = place + countBelow(pairs, place);
    const to = place + length + countBelow(pairs, place + length);
    const range = current.slice(from, to);
    const windows = range.includes("\n") ? range.includes("\r\n") : mostly;
    result += current.slice(done, from) + (windows ? text.replaceAll("\n", "\r\n") : text);
    done = to;
  }
  return result + current.slice(done);
}

/** The positions of the line feeds of CRLFs after the carriage returns are removed. */
function pairPositions(text: string): readonly number[] {
  const positions: number[] = [];
  for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2))
    positions.push(at - positions.length);
  return positions;
}

function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
