import type { KeyObject } from "node:crypto";
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { appendWhole } from "./atomic-write.ts";
import { isRecord } from "../json/json-value.ts";
import { newerFormat, withUpdate } from "../json/file-format.ts";
import { makeFolder } from "./make-folder.ts";
import { parseJson } from "../json/parse-json.ts";
import { textIfThere } from "./read-file.ts";
import { isSigned, signedLine } from "./signed-chain.ts";

/** Something that a signed chain names. */
export interface ChainedItem {
  readonly kind: string;
  readonly name: string;
  readonly hash: string;
}

/** Something that was removed on purpose. */
export interface Tombstone extends ChainedItem {
  readonly bytes: number;
}

/** One line of a list: what one prune removed. */
interface PruneLine {
  readonly pruned_at: string;
  readonly items: readonly Tombstone[];
}

interface Signing {
  /** The list that the file belongs to. A line of another list does not count. */
  readonly list: string;
  readonly key: KeyObject;
}

/**
 * Records a removal, signed, before it is done. A process that dies in between leaves something that is both recorded
 * and there, and that the next prune removes.
 */
export function appendTombstones(
  file: string,
  { items, now }: { readonly items: readonly Tombstone[]; readonly now: number },
  { list, key }: Signing,
): void {
  if (items.length === 0) return;
  makeFolder(dirname(file));
  const body = { version: 1, list, pruned_at: new Date(now).toISOString(), items };
  const descriptor = openSync(file, "a+", 0o600);
  try {
    // A partial line of a process that died while writing it.
    const content = readFileSync(descriptor);
    const whole = content.lastIndexOf(10) + 1;
    if (whole < fstatSync(descriptor).size) ftruncateSync(descriptor, whole);
    appendWhole(descriptor, Buffer.from(`${signedLine(PURPOSE, body, key)}\n`));
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const PURPOSE = "signalbox pruned ";

interface Tombstones {
  /** When this was pruned, or undefined if no valid record says so. */
  readonly prunedAt: (item: ChainedItem) => string | undefined;
  /** The first line that was changed. A line that is missing shows as something that vanished unrecorded. */
  readonly flaw: { readonly line: number; readonly because: string } | undefined;
}

/** Reads a list and verifies each line. */
export function readTombstones(file: string, { list, key }: Signing): Tombstones {
  const dates = new Map<string, string>();
  let flaw: Tombstones["flaw"];
  const lines = (textIfThere(file) ?? "").split("\n").slice(0, -1);
  for (const [index, text] of lines.entries()) {
    const read = readLine(text, { list, key });
    if (typeof read === "string") flaw ??= { line: index + 1, because: read };
    else for (const item of read.items) dates.set(idOf(item), read.pruned_at);
  }
  return { prunedAt: (item) => dates.get(idOf(item)), flaw };
}

const idOf = ({ kind, name, hash }: ChainedItem) => JSON.stringify([kind, name, hash]);

function readLine(text: string, { list, key }: Signing): PruneLine | string {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return "this is not a record of a prune";
  }
  if (!isRecord(value)) return "this is not a record of a prune";
  const newer = newerFormat(value);
  if (newer !== undefined) return withUpdate(newer);
  const { signature, ...body } = value;
  const { list: stated, pruned_at, items } = body;
  if (stated !== list || !isSigned(PURPOSE, body, signature, key))
    return "this record of a prune has no valid signature";
  if (typeof pruned_at !== "string" || !Array.isArray(items)) return "this is not a record of a prune";
  return { pruned_at, items: items.filter(isTombstone) };
}

function isTombstone(value: unknown): value is Tombstone {
  return isRecord(value) && ["kind", "name", "hash"].every((key) => typeof value[key] === "string");
}

/** How many of which kind were pruned on one day. */
export interface PrunedOnDay {
  readonly on: string;
  readonly kind: string;
  readonly count: number;
}

/** Counts what was pruned, by day and kind. */
export function byDay(pruned: readonly { readonly date: string; readonly kind: string }[]): readonly PrunedOnDay[] {
  const groups = Map.groupBy(pruned, ({ date, kind }) => `${date.slice(0, 10)} ${kind}`);
  return [...groups]
    .map(([key, each]) => ({ on: key.slice(0, 10), kind: key.slice(11), count: each.length }))
    .toSorted((one, other) => (one.on < other.on ? -1 : 1));
}

/** A line for the person: `3 artifacts pruned on 2026-11-16`. */
export const prunedLine = ({ on, kind, count }: PrunedOnDay) =>
  `${count} ${kind}${count === 1 ? "" : "s"} pruned on ${on}`;
