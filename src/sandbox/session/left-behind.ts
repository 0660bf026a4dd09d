import { spawn } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Policy } from "../../contract/policy.ts";
import { deniedWrites, FLOORS } from "../../guard/access/judge-access.ts";
import { fold, lexicalPath } from "../../lib/path/real-path.ts";
import { helperProgram } from "../../lib/path/package-folder.ts";
import { isInside } from "../../lib/path/inside.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { isWild } from "../../lib/path/glob.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { readIfThere } from "../../lib/files/read-file.ts";
import { records } from "./command-environment.ts";
import { fileSettings, type GitSetting, isHarmlessInRepository, settingsFile } from "./git-settings.ts";
import {
  finalKept,
  type FoundOutside,
  KEPT,
  lookOutside,
  moveAway,
  openFolder,
  removePlaceholders,
  statOf,
} from "./look-outside.ts";
import { SKIPPED } from "./protected-mounts.ts";
import type { SessionView } from "./session-plan.ts";

/**
 * What commands left in the workspace for programs that run later. `disarmed`: a new repository whose settings or hooks
 * were moved to `kept`; `armed`: they could not be. `self-running`: new files that a program reads by itself.
 */
type LeftBehind =
  | {
      readonly type: "disarmed" | "armed";
      readonly path: string;
      readonly parts: readonly string[];
      readonly kept: string;
    }
  | { readonly type: "self-running"; readonly paths: readonly string[] };

/** In a session's folder: where commands can write, and what was there when it began. */
export const PLACES = "places.json";

interface Places {
  /** Nanoseconds since 1970. */
  readonly since: string;
  readonly roots: readonly string[];
  /** Folders of repositories that were there. */
  readonly repositories: readonly string[];
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

/** Remembers what `lookForLeftBehind` needs, also for a signalbox that finds this session dead. */
export function notePlaces(folder: string, view: SessionView, policy: Policy): void {
  const places: Places = {
    since: `${Date.now() - BEHIND_MS}000000`,
    roots: view.roots,
    repositories: [...new Set([...view.repositories, ...view.indexes.map((index) => index.folder)])],
    open: openRepositories(view, policy),
    workspace: view.workspace,
    home: view.home,
    denyWrite: policy.paths.denyWrite,
    standIns: view.standIns,
  };
  writeFileSync(join(folder, PLACES), JSON.stringify(places), { mode: 0o600 });
}

/** Folders in which the policy lets commands create repositories that run programs. */
export const openRepositories = ({ workspace, home }: SessionView, { newRepositories = [] }: Policy) =>
  newRepositories.map((path) => lexicalPath(path.startsWith("~/") ? home + path.slice(1) : path, workspace));

/** What is told about a session after all of its commands have ended. */
export type FoundAfter = FoundOutside | LeftBehind;

/** Takes away and makes harmless what the commands of a session left, after all of them have ended. */
export async function lookAfter(folder: string, helper = helperProgram() ?? ""): Promise<readonly FoundAfter[]> {
  const places = readPlaces(folder);
  const moved = lookOutside(folder);
  if (places === undefined) return moved;
  removePlaceholders(places.standIns);
  return [...moved, ...(await lookForLeftBehind(folder, places, helper))];
}

async function lookForLeftBehind(folder: string, places: Places, helper: string): Promise<readonly LeftBehind[]> {
  if (places.roots.length === 0) return [];
  const found = await find(places, helper);
  const kept = join(folder, KEPT);
  const isOpen = (path: string) => places.open.some((each) => isInside(path, each));
  const results: LeftBehind[] = [];
  const seen = new Set<string>();
  for (const { kind, path } of found) {
    if (kind === "n" || isOpen(path) || places.repositories.includes(path)) continue;
    const parts = partsOf(path, kind === "g", places).filter((each) => !seen.has(each));
    for (const each of parts) seen.add(each);
    results.push(...(await disarm(path, parts, { since: places.since, kept })));
  }
  const names = found.filter(({ kind }) => kind === "n").map(({ path }) => path);
  const paths = [...selfRunning(names, places).filter((path) => !isOpen(path)), ...plannedPrograms(places)];
  return [...results, ...(paths.length === 0 ? [] : [{ type: "self-running", paths } as const])];
}

function readPlaces(folder: string): Places | undefined {
  const text = readIfThere(join(folder, PLACES))?.toString("utf8");
  const value = text === undefined ? undefined : parseJson(text);
  if (!isRecord(value)) return undefined;
  const list = (name: string) => {
    const given = value[name];
    return Array.isArray(given) ? given.filter((each): each is string => typeof each === "string") : [];
  };
  const string = (name: string) => (typeof value[name] === "string" ? value[name] : "");
  return {
    since: string("since"),
    roots: list("roots"),
    repositories: list("repositories"),
    open: list("open"),
    workspace: string("workspace"),
    home: string("home"),
    denyWrite: list("denyWrite"),
    standIns: list("standIns"),
  };
}

/** See sandbox-init/finder.h. */
interface Finding {
  readonly kind: string;
  readonly path: string;
}

async function find({ since, roots, denyWrite }: Places, helper: string): Promise<readonly Finding[]> {
  const names = [...new Set([...FLOORS.denyWrite, ...denyWrite].flatMap(firstName))];
  if (helper === "") return roots.flatMap((root) => findSlowly(root, Number(BigInt(since) / 1_000_000n), names));
  const child = spawn(helper, ["find"], {
    argv0: "signalbox finder",
    env: {},
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise<number | null>((done, failed) => child.on("error", failed).on("close", done));
  child.stdin.on("error", () => undefined);
  child.stdin.end(
    records([
      `s${since}`,
      ...roots.map((root) => `w${root}`),
      ...names.map((name) => `n${name}`),
      ...[...SKIPPED].map((name) => `x${name}`),
    ]),
  );
  const output = await buffer(child.stdout);
  if ((await ended) !== 0) throw new Error("cannot look for what the commands left");
  const listed = output.toString("utf8").split("\0");
  return listed.flatMap((record) => (record === "" ? [] : [{ kind: record.slice(0, 1), path: record.slice(1) }]));
}

/** The first name of a pattern that counts in any folder; not if it has a wildcard in the middle. */
function firstName(pattern: string): readonly string[] {
  const name = /^\*\*\/([^/]+)/.exec(pattern)?.[1];
  return name === undefined || name === ".git" || isWild(name.replace(/^\*|\*$/, "")) ? [] : [name];
}

/** Where there is no helper. */
function findSlowly(root: string, since: number, names: readonly string[]): readonly Finding[] {
  const exact = new Set(names.map((name) => name.toLowerCase()));
  const findings: Finding[] = [];
  const walk = (folder: string, counts: boolean): void => {
    const entries = entriesOf(folder);
    const has = (name: string) => entries.some((entry) => entry.name === name);
    const isChanged = (lstatSync(folder, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= since;
    if (has("HEAD") && has("objects") && has("refs")) findings.push({ kind: "b", path: folder });
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const name = entry.name.toLowerCase();
      if (name === ".git") findings.push({ kind: "g", path });
      else if (counts && isChanged && exact.has(name)) findings.push({ kind: "n", path });
      if (name !== ".git" && entry.isDirectory()) walk(path, counts && !SKIPPED.has(entry.name));
    }
  };
  walk(root, true);
  return findings;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The folders from which git reads settings and hooks for a `.git` or what looks like one, as far as they may be new. */
function partsOf(path: string, isEntry: boolean, { roots, repositories, since }: Places): readonly string[] {
  try {
    const stat = lstatSync(path);
    if (isEntry && stat.isDirectory() && isNew([path], since)) openFolder(path);
    const named = isEntry && stat.isFile() && stat.size < MAX_POINTER ? readFileSync(path, "utf8") : undefined;
    const target = named === undefined ? path : resolve(dirname(path), named.replace(/^gitdir: /, "").trim());
    const own = realpathSync(target);
    const pointer = readIfThere(join(own, "commondir"))?.toString("utf8").trim();
    const common = pointer === undefined ? own : realpathSync(resolve(own, pointer));
    const isWritable = (folder: string) => [...roots, ...repositories].some((each) => isInside(folder, each));
    return [...new Set([own, common])].filter((folder) => !repositories.includes(folder) && isWritable(folder));
  } catch {
    // It leads nowhere, and git cannot use it either.
    return [];
  }
}

const MAX_POINTER = 4096;

interface DisarmPlace {
  readonly since: string;
  readonly kept: string;
}

/** Moves away the settings and hooks of a repository that would run something, and leaves the harmless settings. */
async function disarm(path: string, folders: readonly string[], place: DisarmPlace): Promise<readonly LeftBehind[]> {
  const moved: string[] = [];
  let isArmed = false;
  for (const folder of folders) {
    const isNewHere = (file: string) => isNew([file, path, folder], place.since);
    if (isNewHere(folder)) for (const each of [folder, join(folder, "hooks")]) openFolder(each);
    for (const name of ["config", "config.worktree"]) {
      const file = join(folder, name);
      const risk = isNewHere(file) ? await riskIn(file) : undefined;
      if (risk === undefined) continue;
      moved.push(...risk.names);
      const isMoved = moveAway(file, place.kept);
      if (isMoved && name === "config") writeFileSync(file, settingsFile(risk.harmless), { flag: "wx", mode: 0o644 });
      isArmed ||= !isMoved || (await riskIn(file)) !== undefined;
    }
    const hooks = join(folder, "hooks");
    const names = hookNames(hooks).filter((name) => isNewHere(join(hooks, name)) || isNewHere(hooks));
    if (names.length === 0) continue;
    moved.push(...names.map((name) => `hooks/${name}`));
    isArmed ||= !moveAway(hooks, place.kept);
  }
  const kept = finalKept(place.kept);
  return moved.length === 0 ? [] : [{ type: isArmed ? "armed" : "disarmed", path, parts: moved, kept }];
}

const MAX_SETTINGS = 1024 * 1024;

interface Risk {
  readonly names: readonly string[];
  readonly harmless: readonly GitSetting[];
}

/** Which settings in a file run something; undefined if none does. */
async function riskIn(file: string): Promise<Risk | undefined> {
  const stat = statOf(file);
  if (stat === undefined) return undefined;
  const settings = stat.isFile() && stat.size <= MAX_SETTINGS ? await fileSettings(file) : undefined;
  if (settings === undefined) return { names: [basename(file)], harmless: [] };
  const risky = settings.filter((setting) => !isHarmlessInRepository(setting));
  if (risky.length === 0) return undefined;
  return { names: [...new Set(risky.map(({ name }) => name))], harmless: settings.filter(isHarmlessInRepository) };
}

function hookNames(hooks: string): readonly string[] {
  const stat = statOf(hooks);
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return ["(no folder)"];
  return entriesOf(hooks).flatMap(({ name }) => (name.endsWith(".sample") ? [] : [name]));
}

const isNew = (paths: readonly string[], since: string) =>
  paths.some((path) => statOf(path) !== undefined && lstatSync(path, { bigint: true }).ctimeNs >= BigInt(since));

/** What `git rebase --continue` would run. */
function plannedPrograms({ repositories, since }: Places): readonly string[] {
  const plans = repositories.map((folder) => join(folder, "rebase-merge/git-rebase-todo"));
  return plans.filter((plan) => isNew([plan], since) && /^\s*(?:x|exec)\s/m.test(readPlan(plan)));
}

const readPlan = (path: string) => (lstatSync(path).isFile() ? readFileSync(path, "utf8") : "exec ");

const MAX_DEPTH = 3;
const MAX_NAMED = 200;

/** Of new entries those that may not be written, or what is in them. */
function selfRunning(names: readonly string[], places: Places): readonly string[] {
  const { workspace, home, denyWrite, since } = places;
  const isDenied = deniedWrites(denyWrite, { root: workspace, home });
  const found: string[] = [];
  const look = (path: string, depth: number): void => {
    const stat = statOf(path);
    if (stat === undefined || found.length === MAX_NAMED) return;
    const folded = fold(path);
    if (isDenied(folded, fold(basename(path)))) {
      if (isNew([path], since)) found.push(path);
    } else if (stat.isDirectory() && depth < MAX_DEPTH)
      for (const entry of entriesOf(path)) look(join(path, entry.name), depth + 1);
  };
  for (const name of names) look(name, 1);
  return found.toSorted();
}
