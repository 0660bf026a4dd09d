import { isDeepStrictEqual } from "node:util";
import { sha256 } from "../lib/json/sha256.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { hasEntry, insertEntry, removeEntry, takePieces } from "./json-edit.ts";
import { JsonValue, type RecordedAddition, type StagedFile } from "./manifest.ts";
import { hasBlock, insertBlock, removeBlock } from "./marked-block.ts";
import type { Addition } from "./sources/change.ts";

/** Inserts one addition into a text. Undefined if someone else has already added the same thing. */
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
 * The record of an addition that exists although the manifest does not list it, because the manifest was lost or not
 * committed. Undefined for what the user may have written.
 */
export function adopt(addition: Addition): RecordedAddition | undefined {
  if (addition.kind === "block") return { kind: "block", comment: addition.comment, text: addition.text, pieces: [] };
  if (addition.purpose.surface !== "hooks") return undefined;
  return { kind: "entry", at: [...addition.at], value: plain(addition.value), made: 0, pieces: [] };
}

/** A value as it appears in a JSON file. */
const plain = (value: unknown) => JsonValue.parse(parseJson(JSON.stringify(value)));

export const isThere = (text: string, addition: Addition) =>
  addition.kind === "block" ? hasBlock(text, addition) : hasEntry(text, addition);

/** True if the manifest records this addition exactly as it is wanted now. */
export const isRecorded = (recorded: readonly RecordedAddition[], addition: Addition) =>
  recorded.some((known) => isDeepStrictEqual(essence(known), essence(addition)));

function essence(addition: Addition | RecordedAddition): unknown {
  if (addition.kind === "block") return [addition.comment, addition.text];
  return [[...addition.at], addition.key, plain(addition.value)];
}

/**
 * Removes additions from a text. The result is byte-identical to the original if nobody has edited the file since;
 * otherwise each addition is removed by its content. `left` is true if one of them is still there in another form.
 */
export function takeOut(
  text: string,
  old: StagedFile | undefined,
): { readonly text: string | undefined; readonly left: boolean } {
  if (old === undefined) return { text, left: false };
  const additions = (old.additions ?? []).toReversed();
  const exact = sha256(text) === old.after ? takeExactly(text, additions) : undefined;
  if (exact !== undefined && (sha256(exact) === old.before || old.before === null)) return rest(exact, old, false);
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

/** Removes by offset only. Undefined if a piece is missing or was never recorded. */
function takeExactly(text: string, additions: readonly RecordedAddition[]): string | undefined {
  let current: string | undefined = text;
  for (const { pieces } of additions) {
    if (current === undefined || pieces.length === 0) return undefined;
    current = takePieces(current, pieces);
  }
  return current;
}

/** A file that we created is deleted when only empty braces are left. */
function rest(text: string, { before }: StagedFile, left: boolean) {
  return { text: before === null && /^[\s{}]*$/.test(text) ? undefined : text, left };
}

/** Strings that identify an addition even after someone has edited it. */
function traces(addition: RecordedAddition): readonly string[] {
  if (addition.kind === "block") return ["signalbox:start"];
  if (addition.key !== undefined) return [`${JSON.stringify(addition.key)}:`];
  return [...JSON.stringify(addition.value).matchAll(/"(?:[^"\\]|\\.)*signalbox(?:[^"\\]|\\.)*"/g)].map(
    ([word]) => word,
  );
}
