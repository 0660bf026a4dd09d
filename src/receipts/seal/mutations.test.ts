import { expect, test } from "vitest";
import { sampleFacts, sampleReceipt } from "../../../test/support/sample-receipt.ts";
import { rounds, seededRandom } from "../../../test/support/seeded-random.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { sealKey } from "./seal.ts";
import { CHAIN } from "./chain.ts";
import { readStore, storeReceipt } from "./store-receipt.ts";
import { type StoreView, verifyStore } from "./verify-store.ts";

const SEED = 20_260_101;
const ROUNDS = rounds(10_000);
const RECEIPTS = 4;
const HEAD = "heads/receipts.json";

/** A store as a map from names to bytes, so that mutations need no disk. */
type Files = Map<string, Buffer>;

function storedFiles() {
  const home = tempFolder();
  for (let run = 0; run < RECEIPTS; run++)
    storeReceipt(home, { receipt: sampleReceipt(), facts: sampleFacts(), now: () => new Date(0) });
  const { chain = Buffer.alloc(0), head = Buffer.alloc(0), names, read } = readStore(home);
  const receipts = names.map((name) => [name, read(name) ?? Buffer.alloc(0)] as const);
  return { key: sealKey(home), files: new Map([[CHAIN, chain], [HEAD, head], ...receipts]) };
}

function view(files: Files): StoreView {
  return {
    chain: files.get(CHAIN),
    head: files.get(HEAD),
    names: [...files.keys()].filter((name) => name !== CHAIN && name !== HEAD),
    read: (name) => files.get(name),
  };
}

type Random = () => number;
const below = (random: Random, most: number) => Math.floor(random() * most);
const noise = (random: Random) => Buffer.from(Array.from({ length: 1 + below(random, 12) }, () => below(random, 256)));

/** Each mutation changes one file and returns its name. */
const MUTATIONS: Readonly<Record<string, (files: Files, random: Random) => string>> = {
  flip: (files, random) =>
    rewrite(files, random, (bytes) => {
      const changed = Buffer.from(bytes);
      const at = below(random, bytes.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << below(random, 8));
      return changed;
    }),
  insert: (files, random) =>
    rewrite(files, random, (bytes) => {
      const at = below(random, bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, at), noise(random), bytes.subarray(at)]);
    }),
  cut: (files, random) =>
    rewrite(files, random, (bytes) => {
      const at = below(random, bytes.length);
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(random, 40))]);
    }),
  truncate: (files, random) => rewrite(files, random, (bytes) => bytes.subarray(0, below(random, bytes.length))),
  overwrite: (files, random) =>
    rewrite(files, random, (bytes) => {
      const changed = Buffer.from(bytes);
      noise(random).copy(changed, below(random, bytes.length));
      return changed;
    }),
  "move bytes": (files, random) =>
    rewrite(files, random, (bytes) => {
      const [one, other] = [below(random, bytes.length), below(random, bytes.length)].toSorted((a, b) => a - b);
      return Buffer.concat([bytes.subarray(other), bytes.subarray(one, other), bytes.subarray(0, one)]);
    }),
  "drop a seal": (files, random) => relined(files, (lines) => lines.toSpliced(below(random, lines.length), 1)),
  "repeat a seal": (files, random) =>
    relined(files, (lines) =>
      lines.toSpliced(below(random, lines.length + 1), 0, lines[below(random, lines.length)] ?? ""),
    ),
  "reorder seals": (files, random) =>
    relined(files, (lines) => {
      const [moved = ""] = lines.splice(below(random, lines.length), 1);
      return lines.toSpliced(below(random, lines.length + 1), 0, moved);
    }),
  "cut the chain at a seal": (files, random) => relined(files, (lines) => lines.slice(0, below(random, lines.length))),
  "drop a file": (files, random) => {
    const name = anyName(files, random);
    files.delete(name);
    return name;
  },
  "add a file": (files, random) => {
    const name = `${below(random, 1e9)}.json`;
    files.set(name, noise(random));
    return name;
  },
  "swap receipts": (files, random) => {
    const [one = "", other = ""] = [...files.keys()].filter((name) => name !== CHAIN && name !== HEAD);
    const [left, right] = [files.get(one) ?? noise(random), files.get(other) ?? noise(random)];
    files.set(one, right);
    files.set(other, left);
    return one;
  },
};

const anyName = (files: Files, random: Random) => [...files.keys()][below(random, files.size)] ?? "";

function rewrite(files: Files, random: Random, change: (bytes: Buffer) => Buffer): string {
  const name = anyName(files, random);
  files.set(name, change(files.get(name) ?? Buffer.alloc(0)));
  return name;
}

function relined(files: Files, change: (lines: string[]) => string[]): string {
  const lines = (files.get(CHAIN) ?? "").toString().split("\n").slice(0, -1);
  files.set(
    CHAIN,
    Buffer.from(
      change(lines)
        .map((line) => `${line}\n`)
        .join(""),
    ),
  );
  return CHAIN;
}

test(
  `${ROUNDS} random mutations of a store are all found, and the file that was changed is named`,
  { timeout: 300_000 },
  () => {
    const { key, files } = storedFiles();
    expect(verifyStore(view(files), key).findings).toEqual([]);

    const random = seededRandom(SEED);
    const kinds = Object.entries(MUTATIONS);
    const missed: string[] = [];
    for (let round = 0; round < ROUNDS;) {
      const changed = new Map(files);
      const [kind, mutate] = kinds[below(random, kinds.length)] ?? ["", () => ""];
      const name = mutate(changed, random);
      const before = files.get(name);
      // Moving something to where it already was is not a mutation.
      if (before !== undefined && changed.get(name)?.equals(before) === true) continue;
      round++;
      const { findings } = verifyStore(view(changed), key);
      const named = findings.some(({ place }) => place.startsWith(name));
      if (!named) missed.push(`round ${round}: ${kind} of ${name}: ${JSON.stringify(findings)}`);
    }
    expect(missed).toEqual([]);
  },
);
