import { spawn } from "node:child_process";
import type { Dirent } from "node:fs";
import { FLOORS } from "../../guard/access/judge-access.ts";
import { isWild } from "../../lib/path/glob.ts";
import { bytesOf, type HeldFolder, holdFolder } from "./held-folder.ts";
import { SKIPPED } from "./protected-mounts.ts";

/** See sandbox-init/finder.h. */
export interface FoundEntry {
  readonly kind: string;
  /** As bytes (held-folder.ts). */
  readonly path: string;
}

export interface FindPlaces {
  /** Folders, as bytes. */
  readonly roots: readonly string[];
  /** Folders of git's records elsewhere, as bytes. */
  readonly records: readonly string[];
  /** Nanoseconds since 1970; undefined before a session, when only repositories and links in them are of interest. */
  readonly since?: string;
  readonly denyWrite?: readonly string[];
  readonly signal?: AbortSignal;
}

/** With a helper: its path. */
export async function* find(places: FindPlaces, helper: string): AsyncGenerator<FoundEntry> {
  const { since, roots, records: elsewhere, denyWrite, signal } = places;
  const names = [...new Set([...FLOORS.denyWrite, ...(denyWrite ?? [])].flatMap(firstName))];
  if (helper === "") {
    yield* findSlowly(places, names);
    return;
  }
  const child = spawn(helper, ["find"], {
    argv0: "signalbox finder",
    env: {},
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
    ...(signal === undefined ? {} : { signal }),
  });
  const ended = new Promise<number | null>((done, failed) => child.on("error", failed).on("close", done));
  ended.catch(() => undefined);
  child.stdin.on("error", () => undefined);
  const lines = [
    ...(since === undefined ? [] : [`s${since}`, ...names.map((name) => `n${bytesOf(name)}`)]),
    ...[...SKIPPED].map((name) => `x${name}`),
    ...roots.map((root) => `w${root}`),
    ...elsewhere.map((folder) => `d${folder}`),
  ];
  child.stdin.end(Buffer.from(lines.map((line) => `${line}\0`).join(""), "latin1"));
  try {
    let rest = "";
    child.stdout.setEncoding("latin1");
    for await (const chunk of child.stdout) {
      const listed = `${rest}${String(chunk)}`.split("\0");
      rest = listed.pop() ?? "";
      for (const record of listed) yield { kind: record.slice(0, 1), path: record.slice(1) };
    }
    if ((await ended) !== 0) throw new Error("cannot look for what the commands left");
  } finally {
    child.kill();
  }
}

/** The first name of a pattern that counts in any folder; not if it has a wildcard in the middle. */
function firstName(pattern: string): readonly string[] {
  const name = /^\*\*\/([^/]+)/.exec(pattern)?.[1];
  return name === undefined || name === ".git" || isWild(name.replace(/^\*|\*$/, "")) ? [] : [name];
}

interface SlowPlace {
  readonly path: string;
  readonly counts: boolean;
  readonly isGit: boolean;
}

/** Where there is no helper. */
function findSlowly({ roots, records, since }: FindPlaces, names: readonly string[]): readonly FoundEntry[] {
  const exact = new Set(names.map((name) => name.toLowerCase()));
  const findings: FoundEntry[] = [];
  const look = (entry: Dirent, { path, counts, isGit }: SlowPlace): void => {
    const name = entry.name.toLowerCase();
    if (name === ".git") findings.push({ kind: "g", path });
    else if (counts && exact.has(name)) findings.push({ kind: "n", path });
    if (isGit && entry.isSymbolicLink()) findings.push({ kind: "l", path });
  };
  const walk = (folder: HeldFolder, place: SlowPlace): void => {
    const entries = folder.names();
    const isRepository = isLikeRepository(entries.map(({ name }) => name));
    const isChanged = (folder.stat()?.ctimeNs ?? 0n) >= BigInt(since ?? 0);
    const isGit = place.isGit || isRepository;
    if (isRepository) findings.push({ kind: "b", path: place.path });
    for (const entry of entries) {
      const path = `${place.path}/${entry.name}`;
      look(entry, { path, counts: place.counts && isChanged, isGit: isGit && isChanged });
      if (!entry.isDirectory()) continue;
      const isGitBelow = isGit || entry.name.toLowerCase() === ".git";
      using below = openIn(folder, entry.name);
      if (below === undefined) findings.push({ kind: "u", path });
      else walk(below, { path, counts: place.counts && !isGitBelow && !SKIPPED.has(entry.name), isGit: isGitBelow });
    }
  };
  for (const path of [...roots, ...records]) {
    using folder = holdFolder(path);
    const isGit = records.includes(path);
    if (folder !== undefined) walk(folder, { path, counts: !isGit, isGit });
  }
  return findings;
}

const isLikeRepository = (names: readonly string[]) =>
  names.includes("HEAD") && (names.includes("commondir") || (names.includes("objects") && names.includes("refs")));

function openIn(folder: HeldFolder, name: string): HeldFolder | undefined {
  try {
    return folder.open(name);
  } catch {
    return undefined;
  }
}
