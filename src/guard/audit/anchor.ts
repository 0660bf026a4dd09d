import type { KeyObject } from "node:crypto";
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { appendWhole, atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { readIfThere, textIfThere } from "../../lib/files/read-file.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { withLock } from "../../lib/files/lock.ts";
import {
  type Anchor,
  type AnchorHead,
  anchorKey,
  type AnchorPlace,
  anchorPlaces,
  newerText,
  readAnchorHead,
  readAnchorLine,
  writeAnchorHead,
  writeAnchorLine,
} from "./anchor-files.ts";

const LOCK_PATIENCE_MS = 10_000;

/**
 * Appends an anchor to the list and moves the signed head. Safe with concurrent processes and after a crash in between.
 * If the list does not match its head, the anchor is still added, but its number leaves a visible gap.
 */
export function appendAnchor(home: string, anchor: Anchor): void {
  const places = anchorPlaces(home);
  makeFolder(dirname(places.list));
  withLock(
    places.lock,
    () => {
      // The first head is written before its key, so a key without a head means the head was removed.
      const key = anchorKey(home, (made) =>
        atomicWrite(places.head, writeAnchorHead(headOver(readIfThere(places.list)), made)),
      );
      const headText = textIfThere(places.head) ?? "";
      // What a newer signalbox counts, only that one can continue. The records stay without an anchor.
      if (newerText(headText) !== undefined) return;
      const head = readAnchorHead(headText, key);
      const list = openSync(places.list, "a+", 0o600);
      try {
        atomicWrite(places.head, writeAnchorHead(addTo(list, head, anchor, key), key));
      } finally {
        closeSync(list);
      }
    },
    LOCK_PATIENCE_MS,
  );
}

/** The head of a list whose lines have no numbers yet. Later lines chain onto it. */
function headOver(list: Buffer | undefined): AnchorHead {
  const text = list?.toString("utf8") ?? "";
  return { count: linesOf(text).length, hash: sha256(text), bytes: list?.length ?? 0 };
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

function addTo(list: number, head: AnchorHead | undefined, anchor: Anchor, key: KeyObject): AnchorHead {
  const place = head === undefined ? placeWithoutHead(list, key) : placeAfter(list, head, key);
  const line = writeAnchorLine(anchor, place, key);
  appendWhole(list, Buffer.from(`${endsOpen(list) ? "\n" : ""}${line}\n`));
  // The head must not survive a crash that loses the anchors it counts.
  fdatasyncSync(list);
  return { count: place.sequence, hash: sha256(line), bytes: fstatSync(list).size };
}

/** Older versions wrote no head. If the list has numbered lines or is empty, the head was removed. */
function placeWithoutHead(list: number, key: KeyObject): AnchorPlace {
  const content = readFrom(list, 0);
  const { count, hash } = headOver(content);
  const lines = linesOf(content.toString("utf8")).map((line) => readAnchorLine(line, key));
  const isOld = lines.length > 0 && lines.every((line) => line !== undefined && line.place === undefined);
  return { sequence: count + 1, previous: isOld ? hash : null };
}

/** Lines after the head come from a process that died before it moved the head, or from an older version. */
function placeAfter(list: number, head: AnchorHead, key: KeyObject): AnchorPlace {
  let { count, hash } = head;
  if (fstatSync(list).size > head.bytes) {
    const added = readFrom(list, head.bytes);
    // A partial line from a process that died while writing.
    const whole = added.lastIndexOf(10) + 1;
    ftruncateSync(list, head.bytes + whole);
    for (const line of linesOf(added.toString("utf8", 0, whole))) {
      const place = readAnchorLine(line, key)?.place;
      if (place?.sequence === count + 1 && place.previous === hash) [count, hash] = [place.sequence, sha256(line)];
    }
  }
  return { sequence: count + 1, previous: hash };
}

function endsOpen(list: number): boolean {
  const { size } = fstatSync(list);
  return size > 0 && readFrom(list, size - 1)[0] !== 10;
}

function readFrom(list: number, start: number): Buffer {
  const content = Buffer.alloc(fstatSync(list).size - start);
  return content.subarray(0, readSync(list, content, 0, content.length, start));
}
