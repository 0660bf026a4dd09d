import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { deniedWrites } from "../../guard/access/judge-access.ts";
import { folderNames } from "../../lib/files/folder-tree.ts";
import { textIfThere } from "../../lib/files/read-file.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { isInside, outermostOf } from "../../lib/path/inside.ts";
import { helperProgram } from "../../lib/path/package-folder.ts";
import { fold, lexicalPath } from "../../lib/path/real-path.ts";
import { find, type FoundEntry } from "./find-left.ts";
import { bytesOf, type HeldFolder, nameOf, textOf, withParent } from "./held-folder.ts";
import { finalKept, type FoundOutside, KEPT, lookOutside, removePlaceholders } from "./look-outside.ts";
import { disarm, identity, type Part, partsOf, plannedProgram, type RepositoryPlaces } from "./new-repository.ts";
import type { SessionView } from "./session-plan.ts";

/**
 * What commands may have left in the workspace for programs that run later. `disarmed`: a repository whose settings or
 * hooks were moved to `kept`; `armed`: they could not be. `isSure`: it is known whether it was there before. `git-links`:
 * links among git's records that were moved there. `self-running`: new files that a program reads by itself. `unread`:
 * where we could not look.
 */
type LeftBehind =
  | {
      readonly type: "disarmed" | "armed";
      readonly path: string;
      readonly parts: readonly string[];
      readonly kept: string;
      readonly isSure: boolean;
    }
  | { readonly type: "git-links"; readonly paths: readonly string[]; readonly kept: string }
  | { readonly type: "self-running" | "unread"; readonly paths: readonly string[] };

/** In a session's folder: where commands can write, and what was there when it began. Removed after a whole last look. */
export const PLACES = "places.json";

/** What was there before a session. Paths are bytes. */
export interface FoundBefore {
  /** Repositories, and links in them, with the identity of each. */
  readonly there: ReadonlyMap<string, string>;
  /** Each `.git` of which no session that still runs can have been the author. */
  readonly known: readonly string[];
  /** Each `.git` from which git goes to a folder that commands can change. */
  readonly leading: readonly string[];
}

interface Places extends Omit<RepositoryPlaces, "kept"> {
  readonly roots: readonly string[];
  readonly leading: readonly string[];
  /** What commands see as the home folder. Git outside has no business there. */
  readonly privateHomes: readonly string[];
  /** Folders of git's records outside the roots. */
  readonly records: readonly string[];
  /** Folders in which repositories may keep what they have. */
  readonly open: readonly string[];
  readonly workspace: string;
  readonly home: string;
  readonly denyWrite: readonly string[];
  /** Our own files that stand in for missing ones (git-places.ts). */
  readonly standIns: readonly string[];
}

/** The clock of file systems is a few milliseconds behind. */
const BEHIND_MS = 20;

/** Remembers what `lookAfter` needs, also for a signalbox that finds this session dead. */
export function notePlaces(folder: string, view: SessionView, policy: Policy, before?: FoundBefore): void {
  const places = {
    since: `${Date.now() - BEHIND_MS}000000`,
    ...walkedPlaces(view),
    // The records of worktrees are left out if it is not known what was there.
    repositories: before === undefined ? knownRepositories(view) : view.repositories,
    there: [...(before?.there ?? [])],
    leading: before?.leading ?? [],
    privateHomes: view.mounts.flatMap((each) => (each.kind === "replace" ? [each.source] : [])),
    isListed: before !== undefined,
    open: openRepositories(view, policy),
    workspace: view.workspace,
    home: view.home,
    denyWrite: policy.paths.denyWrite,
    standIns: view.standIns,
  };
  writeFileSync(join(folder, PLACES), JSON.stringify(places), { mode: 0o600 });
}

const knownRepositories = (view: SessionView) => [
  ...new Set([...view.repositories, ...view.indexes.map((index) => index.folder)]),
];

/** All folders that commands can write: those to look through, git's records among them, and the private home. */
function walkedPlaces(view: SessionView) {
  const writable = [
    ...new Set([...view.roots, ...view.mounts.flatMap((each) => (each.kind === "writable" ? [each.path] : []))]),
  ];
  const outermost = outermostOf(writable);
  const isRecords = (path: string) => knownRepositories(view).some((each) => isInside(path, each));
  return {
    roots: view.roots.length === 0 ? [] : outermost.filter((path) => !isRecords(path)),
    records: outermost.filter(isRecords),
    writable: [...writable, ...view.mounts.flatMap((each) => (each.kind === "replace" ? [each.source] : []))],
  };
}

/** The folders of repositories to which git goes on from a `.git`, which commands can change, and which nothing holds. */
function openParts(path: string, isEntry: boolean, view: SessionView): readonly Part[] {
  const { writable } = walkedPlaces(view);
  return partsOf(path, isEntry, { writable: writable.map(bytesOf), repositories: view.repositories.map(bytesOf) });
}

/** Whether git goes from this `.git` to a folder that commands can change. */
export const isOpenRepository = (path: string, view: SessionView) => openParts(bytesOf(path), true, view).length > 0;

const LIST_MS = 1000;
const MAX_LISTED = 10_000;

/** What is there before a session begins; undefined if it is too much to list it all. */
export async function listBefore(folder: string, view: SessionView, helper: string): Promise<FoundBefore | undefined> {
  const { roots, records } = walkedPlaces(view);
  const there = new Map<string, string>();
  const known: string[] = [];
  const leading: string[] = [];
  const begun = othersBegun(folder);
  const places = { roots: roots.map(bytesOf), records: records.map(bytesOf), signal: AbortSignal.timeout(LIST_MS) };
  try {
    for await (const { kind, path } of find(places, helper)) {
      const stat = withParent(path, (folder, name) => folder.stat(name));
      if (stat === undefined) continue;
      there.set(path, identity(stat));
      const parts = kind === "l" ? [] : openParts(path, kind === "g", view);
      for (const part of parts) {
        const own = withParent(part.path, (folder, name) => folder.stat(name));
        if (own !== undefined) there.set(part.path, identity(own));
      }
      if (kind === "g" && parts.length > 0) leading.push(path);
      else if (kind === "g" && stat.ctimeNs < begun) known.push(path);
      if (there.size > MAX_LISTED) return undefined;
    }
    return { there, known, leading };
  } catch {
    return undefined;
  }
}

const NEVER = 2n ** 63n;

/** When the first session began whose end nobody has looked at yet. */
function othersBegun(folder: string): bigint {
  const base = dirname(folder);
  const others = folderNames(base).flatMap((name) => readPlaces(join(base, name))?.since ?? []);
  return others.map((since) => BigInt(since)).reduce((first, each) => (each < first ? each : first), NEVER);
}

/** Folders in which the policy lets commands create repositories that run programs. */
export const openRepositories = ({ workspace, home }: SessionView, { newRepositories = [] }: Policy) =>
  newRepositories.map((path) => lexicalPath(path.startsWith("~/") ? home + path.slice(1) : path, workspace));

/** What is told about a session after all of its commands have ended. */
export type FoundAfter = FoundOutside | LeftBehind;

const isDone = ({ type }: FoundAfter) => type !== "left" && type !== "armed" && type !== "unread";

/** The files that stand in for missing ones while a session runs. */
export const standInsIn = (folder: string): readonly string[] => readPlaces(folder)?.standIns ?? [];

/** Takes away and makes harmless what the commands of a session left, after all of them have ended. `spared`: stand-ins that others use. */
export async function lookAfter(
  folder: string,
  helper = helperProgram() ?? "",
  spared: readonly string[] = [],
): Promise<readonly FoundAfter[]> {
  const places = readPlaces(folder);
  const moved = lookOutside(folder);
  if (places === undefined) return moved;
  removePlaceholders(places.standIns.filter((path) => !spared.includes(path)));
  const found = [...moved, ...(await lookForLeftBehind(folder, places, helper))];
  if (found.every(isDone)) rmSync(join(folder, PLACES), { force: true });
  return found;
}

async function lookForLeftBehind(folder: string, places: Places, helper: string): Promise<readonly LeftBehind[]> {
  if (places.roots.length === 0) return [];
  const kept = join(folder, KEPT);
  const look = openLook({ ...places, kept });
  for (const path of places.repositories) look.plan(path);
  try {
    for await (const finding of find(places, helper)) await look.take(finding);
  } catch {
    for (const root of places.roots) if (!isGone(root)) look.unread.add(root);
  }
  // The finder passes by what has not changed itself.
  for (const path of places.leading) await look.take({ kind: "g", path });
  const paths = selfRunning(look.names, places);
  return [
    ...look.results,
    ...told({ type: "git-links", paths: look.links, kept: finalKept(kept) }),
    ...told({ type: "self-running", paths }),
    ...told({ type: "unread", paths: [...look.unread] }),
  ];
}

const told = <Found extends LeftBehind & { readonly paths: readonly string[] }>(found: Found): readonly Found[] =>
  found.paths.length === 0 ? [] : [{ ...found, paths: found.paths.map(textOf) }];

const MAX_TRIES = 3;
const MAX_NAMED = 10_000;

/** One look at the findings of the finder, each as it comes. All paths are bytes. */
function openLook(places: Places & { readonly kept: string }) {
  const results: LeftBehind[] = [];
  const links: string[] = [];
  const names = new Set<string>();
  const unread = new Set<string>();
  const seen = new Set<string>();
  const isOpen = (path: string) => places.open.some((each) => isInside(path, each));
  const plan = (path: string) => plannedProgram(path, places.since).forEach((each) => names.add(each));
  async function takeRepository({ kind, path }: FoundEntry): Promise<void> {
    const parts = partsOf(path, kind === "g", places).filter((each) => !seen.has(each.path));
    const moved: string[] = [];
    let isArmed = false;
    if (parts.some((part) => places.privateHomes.some((home) => isInside(part.path, home)))) {
      const leads = kind === "g" && !isFolderAt(path) ? path : `${path}/commondir`;
      isArmed = withParent(leads, (folder, name) => folder.moveAway(name, places.kept)) !== true;
      moved.push(nameOf(leads));
    }
    for (const part of parts) {
      plan(part.path);
      const result = await disarm(part, places);
      seen.add(part.path);
      moved.push(...result.moved);
      isArmed ||= result.isArmed;
    }
    if (moved.length === 0) return;
    const type = isArmed ? "armed" : "disarmed";
    const isSure = places.isListed || parts.every((part) => isNewFolder(part, places));
    results.push({ type, path: textOf(path), parts: moved.map(textOf), kept: finalKept(places.kept), isSure });
  }
  function takeLink(path: string): void {
    const isMoved = withParent(path, (folder, name) => {
      const stat = folder.stat(name);
      // Locks of Emacs; git has no such names.
      if (name.startsWith(".#")) return undefined;
      if (stat?.isSymbolicLink() !== true || places.there.get(path) === identity(stat)) return undefined;
      const isNew = stat.ctimeNs >= BigInt(places.since);
      const isPutThere = places.isListed && /\/\.git\//i.test(path);
      return isNew || isPutThere ? folder.moveAway(name, places.kept) : undefined;
    });
    if (isMoved === true) links.push(path);
    if (isMoved === false) unread.add(path);
  }
  const keepName = (path: string) => void (names.size < MAX_NAMED && names.add(path));
  async function take(finding: FoundEntry, tries = MAX_TRIES): Promise<void> {
    const { kind, path } = finding;
    if (isOpen(path)) return;
    try {
      if (kind === "u" && isGone(path)) return;
      if (kind === "u") unread.add(path);
      else if (kind === "l") takeLink(path);
      else if (kind === "n") keepName(path);
      else await takeRepository(finding);
    } catch {
      if (tries > 1) await take(finding, tries - 1);
      else unread.add(path);
    }
  }
  return { results, links, names, unread, plan, take };
}

/** A copy of a workspace, in which a check ran, is removed before anybody looks at it. */
const isGone = (path: string) => withParent(path, (folder, name) => folder.stat(name)) === undefined;

const isFolderAt = (path: string) => withParent(path, (folder, name) => folder.stat(name)?.isDirectory()) === true;

/** Whether its folder was made since. */
const isNewFolder = ({ path }: Part, { since }: Places) =>
  withParent(path, (folder, name) => (folder.stat(name)?.birthtimeNs ?? 0n) >= BigInt(since)) === true;

function readPlaces(folder: string): Places | undefined {
  const text = textIfThere(join(folder, PLACES));
  const value = text === undefined ? undefined : parseJson(text);
  if (!isRecord(value)) return undefined;
  const array = (name: string): readonly unknown[] => {
    const given: unknown = value[name];
    return Array.isArray(given) ? given : [];
  };
  const list = (name: string) => array(name).filter((each): each is string => typeof each === "string");
  const string = (name: string) => (typeof value[name] === "string" ? value[name] : "");
  const pairs = array("there").flatMap((each): readonly [string, string][] =>
    Array.isArray(each) && typeof each[0] === "string" && typeof each[1] === "string" ? [[each[0], each[1]]] : [],
  );
  return {
    since: string("since"),
    roots: list("roots").map(bytesOf),
    records: list("records").map(bytesOf),
    writable: list("writable").map(bytesOf),
    repositories: list("repositories").map(bytesOf),
    there: new Map(pairs),
    leading: list("leading"),
    privateHomes: list("privateHomes").map(bytesOf),
    isListed: value["isListed"] === true,
    open: list("open").map(bytesOf),
    workspace: string("workspace"),
    home: string("home"),
    denyWrite: list("denyWrite"),
    standIns: list("standIns"),
  };
}

const MAX_DEPTH = 3;
const MAX_SHOWN = 200;

/** Of new entries those that may not be written, or what is in them. Those near the top, which are read first, first. */
function selfRunning(names: Iterable<string>, places: Places): readonly string[] {
  const { workspace, home, denyWrite, since } = places;
  const isDenied = deniedWrites(denyWrite, { root: workspace, home });
  const launchers = bytesOf(join(workspace, ".claude"));
  const found: string[] = [];
  const look = (path: string, depth: number): void => {
    const entries = withParent(path, (folder, name) => {
      const stat = folder.stat(name);
      if (stat === undefined) return [];
      const folded = fold(textOf(path));
      if (isDenied(folded, nameOf(folded)) || path.endsWith("/git-rebase-todo")) {
        const isNew = stat.ctimeNs >= BigInt(since);
        if (isNew && !(path === launchers && holdsOnly(folder, name, LAUNCHERS_OWN))) found.push(path);
        return [];
      }
      using inner = stat.isDirectory() && depth < MAX_DEPTH ? folder.open(name) : undefined;
      return inner?.names().map((entry) => `${path}/${entry.name}`) ?? [];
    });
    for (const entry of entries ?? []) look(entry, depth + 1);
  };
  for (const name of names) look(name, 1);
  const depth = (path: string) => path.split("/").length;
  return found.toSorted((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1)).slice(0, MAX_SHOWN);
}

/** Below `.claude`: where a launch itself notes which agent is active (agents/active-agent.ts). */
const LAUNCHERS_OWN = ["runtime", "launcher_context.json"];

function holdsOnly(above: HeldFolder, name: string, [next, ...rest]: readonly string[]): boolean {
  if (next === undefined) return true;
  using folder = above.open(name);
  const names = folder?.names() ?? [];
  return folder !== undefined && names.length === 1 && names[0]?.name === next && holdsOnly(folder, next, rest);
}
