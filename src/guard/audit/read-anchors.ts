import { lstatSync } from "node:fs";
import type { KeyObject } from "node:crypto";
import { textIfThere } from "../../lib/files/read-file.ts";
import { missingNumbers } from "../../lib/files/signed-chain.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import {
  type Anchor,
  ANCHOR_HEAD,
  ANCHOR_LIST,
  anchorPlaces,
  newerText,
  readAnchorHead,
  readAnchorKey,
  readAnchorLine,
} from "./anchor-files.ts";

/**
 * Something that was changed after it was written: the file under our home, the line (0 for the whole file), and the
 * problem.
 */
export interface AuditFlaw {
  readonly file: string;
  readonly line: number;
  readonly because: string;
}

/** The verified ends of segments. */
export interface Anchors {
  /** Anchors with a valid signature. */
  readonly anchors: readonly Anchor[];
  /** The newest anchor. Undefined before the first one, and for a list from an older version. */
  readonly head: { readonly count: number; readonly hash: string } | undefined;
  /** The list has anchors but no head, as older versions wrote it. Anchors removed from its end would go unnoticed. */
  readonly unchained: boolean;
  readonly flaw: AuditFlaw | undefined;
}

const KEY = "keys/audit.pem";
const LIST = `heads/${ANCHOR_LIST}`;
const HEAD = `heads/${ANCHOR_HEAD}`;

/** Reads and verifies the anchors: signatures, numbers, chain, and the head that counts them. */
export function readAnchors(home: string): Anchors {
  const places = anchorPlaces(home);
  for (const [file, path] of [
    [LIST, places.list],
    [HEAD, places.head],
  ] as const)
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
      return {
        anchors: [],
        head: undefined,
        unchained: false,
        flaw: { file, line: 0, because: "it is not a regular file" },
      };
  return readFrom(home, places);
}

function readFrom(home: string, places: ReturnType<typeof anchorPlaces>): Anchors {
  const key = readAnchorKey(home);
  // Read the head first, so that concurrent appends can only make the list longer than it, never shorter.
  const headText = textIfThere(places.head);
  const lines = (textIfThere(places.list) ?? "").split("\n").filter((line) => line !== "");
  const nothing = { anchors: [], head: undefined, unchained: false, flaw: undefined };
  const broken = (file: string, because: string) => ({ ...nothing, flaw: { file, line: 0, because } });
  if (key === "broken") return broken(KEY, "it contains no key, so anchors cannot be verified");
  if (key === undefined)
    return headText === undefined && lines.length === 0
      ? nothing
      : broken(KEY, "the key is missing, so anchors cannot be verified");
  const walk = walkList(lines, key);
  const { anchors, flaw } = walk;
  if (headText === undefined) {
    const unchained = lines.length > 0 && walk.chained === 0;
    const gone = { file: HEAD, line: 0, because: "the signed head of the anchors is missing" };
    return { anchors, head: undefined, unchained, flaw: flaw ?? (unchained ? undefined : gone) };
  }
  const head = readAnchorHead(headText, key);
  const unlike = head === undefined ? (newerText(headText) ?? "its signature does not match") : unlikeList(head, walk);
  return {
    anchors,
    head,
    unchained: false,
    flaw: flaw ?? (unlike === undefined ? undefined : { file: HEAD, line: 0, because: unlike }),
  };
}

interface Walk {
  readonly anchors: readonly Anchor[];
  readonly chained: number;
  /** The hash of each anchor by number, including the hash of everything before the first numbered one. */
  readonly hashes: ReadonlyMap<number, string>;
  readonly last: number;
  readonly flaw: AuditFlaw | undefined;
}

/** Walks the list. Unnumbered lines from older versions may appear anywhere. */
function walkList(lines: readonly string[], key: KeyObject): Walk {
  const anchors: Anchor[] = [];
  const hashes = new Map<number, string>();
  let [chained, last] = [0, 0];
  let flaw: AuditFlaw | undefined;
  const report = (index: number, because: string) => (flaw ??= { file: LIST, line: index + 1, because });
  for (const [index, line] of lines.entries()) {
    const signed = readAnchorLine(line, key);
    if (signed === undefined) {
      report(index, newerText(line) ?? "this anchor has no valid signature");
      continue;
    }
    anchors.push(signed.anchor);
    const { place } = signed;
    if (place === undefined) continue;
    if (chained === 0) {
      last = index;
      hashes.set(
        last,
        sha256(
          lines
            .slice(0, index)
            .map((text) => `${text}\n`)
            .join(""),
        ),
      );
    }
    const because = unlikePlace(place.sequence, last + 1) ?? unlikePrevious(place.previous, hashes.get(last));
    if (because !== undefined) report(index, because);
    chained++;
    last = place.sequence;
    hashes.set(last, sha256(line));
  }
  if (chained === 0) {
    last = lines.length;
    hashes.set(last, sha256(lines.map((text) => `${text}\n`).join("")));
  }
  return { anchors, chained, hashes, last, flaw };
}

function unlikePlace(sequence: number, expected: number): string | undefined {
  if (sequence === expected) return undefined;
  if (sequence < expected) return `anchor ${sequence} is where anchor ${expected} belongs`;
  return `${missingNumbers("anchor", expected, sequence - 1)} before anchor ${sequence}`;
}

function unlikePrevious(previous: string | null, expected: string | undefined): string | undefined {
  if (previous === null)
    return "the signed head was missing when this anchor was written, so older ones may be missing";
  return previous === expected ? undefined : "it does not follow the anchor before it";
}

function unlikeList(
  { count, hash }: { readonly count: number; readonly hash: string },
  walk: Walk,
): string | undefined {
  if (walk.last < count) return `${missingNumbers("anchor", walk.last + 1, count)} at the end of ${LIST}`;
  return walk.hashes.get(count) === hash ? undefined : `anchor ${count} is not the one named by the head`;
}
