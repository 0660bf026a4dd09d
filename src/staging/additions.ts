import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../lib/parse-json.ts";
import type { Addition } from "./sources/change.ts";
import { hashOf } from "./hash-of.ts";
import { hasEntry, insertEntry } from "./insert-entry.ts";
import { takePieces } from "./inserted.ts";
import { JsonValue, type RecordedAddition, type StagedFile } from "./manifest.ts";
import { hasBlock, insertBlock, removeBlock } from "./marked-block.ts";
import { removeEntry } from "./remove-entry.ts";

/** Puts one addition into a text. Undefined when the same thing is there already, from somebody else. */
export function insert(
  text: string,
  addition: Addition,
): { readonly text: string; readonly record: RecordedAddition } | undefined {
  if (addition.kind === "block") {
    const { kind, comment, text: block } = addition;
    const inserted = insertBlock(text, addition);
    return inserted && { text: inserted.text, record: { kind, comment, text: block, pieces: [...inserted.pieces] } };
  }
  const { kind, at, key, value } = addition;
  const inserted = insertEntry(text, addition);
  if (inserted === undefined) return undefined;
  const { made, pieces } = inserted;
  const record = { kind, at: [...at], ...(key === undefined ? {} : { key }), value: plain(value), made };
  return { text: inserted.text, record: { ...record, pieces: [...pieces] } };
}

/**
 * The record of an addition that is there though no list of staged files says so: the list was lost or not committed.
 * Undefined for what a person may have written himself.
 */
export function adopt(addition: Addition): RecordedAddition | undefined {
  if (addition.kind === "block") return { kind: "block", comment: addition.comment, text: addition.text, pieces: [] };
  if (addition.purpose.surface !== "hooks") return undefined;
  return { kind: "entry", at: [...addition.at], value: plain(addition.value), made: 0, pieces: [] };
}

/** A value as it stands in a JSON file. */
const plain = (value: unknown) => JsonValue.parse(parseJson(JSON.stringify(value)));

export const isThere = (text: string, addition: Addition) =>
  addition.kind === "block" ? hasBlock(text, addition) : hasEntry(text, addition);

/** True when the manifest knows this addition as it is wanted now. */
export const isRecorded = (recorded: readonly RecordedAddition[], addition: Addition) =>
  recorded.some((known) => isDeepStrictEqual(essence(known), essence(addition)));

function essence(addition: Addition | RecordedAddition): unknown {
  if (addition.kind === "block") return [addition.comment, addition.text];
  return [[...addition.at], addition.key, plain(addition.value)];
}

/**
 * A text without what was added to it: byte for byte as before when nobody has touched it since, else by what the
 * additions say. `left` when one of them is there in another form.
 */
export function takeOut(
  text: string,
  old: StagedFile | undefined,
): { readonly text: string | undefined; readonly left: boolean } {
  if (old === undefined) return { text, left: false };
  const additions = (old.additions ?? []).toReversed();
  const exact = hashOf(text) === old.after ? takeExactly(text, additions) : undefined;
  if (exact !== undefined && (hashOf(exact) === old.before || old.before === null)) return rest(exact, old, false);
  let current = text;
  let left = false;
  for (const addition of additions) {
    const removed =
      addition.kind === "block" ? removeBlock(current, addition) : removeEntry(current, addition, addition.made);
    left ||= removed === undefined && traces(addition).some((trace) => current.includes(trace));
    current = removed ?? current;
  }
  return rest(current, old, left);
}

/** By place alone. Undefined when a piece is not there, or was never noted. */
function takeExactly(text: string, additions: readonly RecordedAddition[]): string | undefined {
  let current: string | undefined = text;
  for (const { pieces } of additions) {
    if (current === undefined || pieces.length === 0) return undefined;
    current = takePieces(current, pieces);
  }
  return current;
}

/** A file that we made goes away when nothing but empty braces is left of it. */
function rest(text: string, { before }: StagedFile, left: boolean) {
  return { text: before === null && /^[\s{}]*$/.test(text) ? undefined : text, left };
}

/** Words by which an addition is still known when somebody changed it. */
function traces(addition: RecordedAddition): readonly string[] {
  if (addition.kind === "block") return ["signalbox:start"];
  if (addition.key !== undefined) return [`${JSON.stringify(addition.key)}:`];
  return [...JSON.stringify(addition.value).matchAll(/"(?:[^"\\]|\\.)*signalbox(?:[^"\\]|\\.)*"/g)].map(
    ([word]) => word,
  );
}
