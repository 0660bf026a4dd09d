import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { basename, dirname, join } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { isInside, outermostOf } from "../../lib/path/inside.ts";
import { FORM_VARIABLE } from "../../lib/process/inside-session.ts";
import { systemProgram } from "../../lib/path/find-program.ts";
import { DOOR_PORT, doorVariables, environmentRules, records } from "../session/command-environment.ts";
import { digestBytes } from "../session/git-places.ts";
import { bytesOf, textOf } from "../session/held-folder.ts";
import {
  type FoundBefore,
  isOpenRepository,
  listBefore,
  notePlaces,
  openRepositories,
} from "../session/left-behind.ts";
import { needPlaceholders, WATCHED } from "../session/look-outside.ts";
import { listenOnLoopback, portOf } from "../session/own-loopback.ts";
import { openPrivateHome } from "../session/private-home.ts";
import { type LimitGroups, limitGroups, type Limits, limitsOf } from "../session/limits.ts";
import { type CoveredFile, INIT_INSIDE, sessionArguments } from "./session-argv.ts";
import { openSessionFolder, type SessionFolder } from "../session/session-folder.ts";
import { hiddenFiles, planSession, type SessionView } from "../session/session-plan.ts";
import { makeStandIn } from "../session/stand-ins.ts";
import { openRefusedEngine, sshThroughDoor } from "./covered-files.ts";
import { startEntered } from "./entered-session.ts";
import { checkPlan, compareMounts } from "./check-mounts.ts";
import { landlockRules, writablePaths } from "./landlock-rules.ts";
import { changeablePaths, copyChangeable } from "./put-back.ts";
import { type SandboxEvent, type SessionCommand, type StartedSession, startSession } from "./start-session.ts";
import { systemCallFilter } from "./system-call-filter.ts";

/** The programs that a session needs, found and proven by the caller. */
export interface SandboxPrograms {
  /** Undefined for the Landlock form, which needs the helper. */
  readonly bubblewrap: string | undefined;
  /** Undefined where it cannot run; then the sandbox is entered with nsenter (entered-session.ts). */
  readonly helper: string | undefined;
  readonly closesUserNamespaces: boolean;
}

export interface StartParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signalboxHome: string;
  /** Opens the network door's port inside and gives commands the variables that name it. */
  readonly door?: boolean | undefined;
  /** More ports on the inner loopback that this process will serve. */
  readonly ports?: readonly number[] | undefined;
  /** Existing paths that are lent to this sandbox's commands. */
  readonly extraWritable?: readonly string[] | undefined;
  readonly extraReadable?: readonly string[] | undefined;
  readonly onEvent?: ((event: SandboxEvent) => void) | undefined;
  readonly onStarting?: (() => void) | undefined;
  /** For clients that know no proxy (ssh, docker): told what they were refused, in words. */
  readonly onRefused?: ((text: string) => void) | undefined;
}

/** One sandbox for all commands of a session. When it is disposed, everything that runs inside ends. */
export interface RunningSandbox extends AsyncDisposable {
  /** `PROGRAM 'COMMAND'` runs a bash command inside, in the same working folder, with the same three streams. */
  readonly program: string;
  /** The argv that runs a program inside without a shell. */
  argv(argv: readonly string[]): readonly string[];
  /** The command with this id, of the last thousand. */
  commandOf(id: string): SessionCommand | undefined;
  /** Protected paths that commands created and that were taken away, since this was last called. */
  readonly takeRemoved: () => readonly string[];
  /** Listens on the door's port inside. Served by this process; unreferenced. */
  readonly door: Server | undefined;
  readonly listeners: ReadonlyMap<number, Server>;
  readonly plan: SessionView;
  /** Protected files that commands created are moved here. */
  readonly kept: string;
  readonly ended: Promise<void>;
}

const MAX_REMEMBERED = 1000;

/** Starts the sandbox that a policy asks for, without proving anything. */
export async function startSandbox(
  policy: Policy,
  parts: StartParts,
  programs: SandboxPrograms,
): Promise<RunningSandbox> {
  const { signalboxHome, environment } = parts;
  const { workspaceRoot: workspace, home } = policy;
  const strict = policy.sandbox === "strict";
  const limits = limitsOf(policy);
  const isInPlace = programs.bubblewrap === undefined;
  const privateHome = strict
    ? undefined
    : await openPrivateHome({ signalboxHome, workspace, home, environment, isInPlace });
  const path = environment["PATH"] ?? "";
  const plan = planSession(policy, { ...parts, privateHome: privateHome?.folder, path });
  privateHome?.ignore(hiddenFiles(plan));
  const own = using(
    openSessionFolder(signalboxHome, programs.helper, parts.onEvent),
    limitGroups(limits),
    privateHome,
    placeStandIns(plan),
  );
  try {
    const commands = new Map<string, SessionCommand>();
    const removed: string[] = [];
    const start = { ...own, limits, policy, parts, programs, commands, removed };
    const session = await (isInPlace
      ? startUnmounted(plan, start, privateHome?.folder ?? "")
      : startMounted(plan, start, await own.coverClients(parts.onRefused)));
    return {
      program: own.folder.program,
      argv: (argv) => [own.folder.program, "--", ...argv],
      commandOf: (id) => commands.get(id),
      takeRemoved: () => removed.splice(0),
      door: session.listeners.get(DOOR_PORT),
      listeners: session.listeners,
      plan: isInPlace ? unmountedView(plan) : plan,
      kept: own.folder.kept,
      ended: session.ended,
      async [Symbol.asyncDispose]() {
        await session[Symbol.asyncDispose]();
        own.release();
      },
    };
  } catch (error) {
    own.release();
    throw error;
  }
}

/** Removed with what the session leaves, or here if it never began. */
function placeStandIns({ standIns }: SessionView): Disposable {
  const placed = needPlaceholders(standIns);
  for (const path of standIns) makeStandIn(path);
  return placed;
}

function using(folder: SessionFolder, groups: LimitGroups, ...others: readonly (Disposable | undefined)[]) {
  let engine: Disposable | undefined;
  return {
    folder,
    groups,
    async coverClients(onRefused: StartParts["onRefused"]): Promise<readonly CoveredFile[]> {
      if (onRefused === undefined) return [];
      const refused = await openRefusedEngine(folder.path, onRefused);
      engine = refused;
      return [...sshThroughDoor(folder.path), ...refused.covered];
    },
    release() {
      engine?.[Symbol.dispose]();
      for (const other of others) other?.[Symbol.dispose]();
      groups[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

interface PlannedStart {
  readonly folder: SessionFolder;
  readonly groups: LimitGroups;
  readonly limits: Limits;
  readonly policy: Policy;
  readonly parts: StartParts;
  readonly programs: SandboxPrograms;
  readonly commands: Map<string, SessionCommand>;
  readonly removed: string[];
}

const FILTER_DESCRIPTOR = 5;

async function startMounted(
  plan: SessionView,
  start: PlannedStart,
  covered: readonly CoveredFile[],
): Promise<StartedSession> {
  const { folder, limits, policy, parts, programs } = start;
  const { bubblewrap = "" } = programs;
  const { path, program: helper } = folder;
  const before = programs.helper === undefined ? undefined : await listBefore(path, plan, programs.helper);
  writeFileSync(
    join(path, WATCHED),
    watchedRecords(programs.helper === undefined ? unheld(plan) : plan, policy, { before }),
  );
  notePlaces(path, plan, policy, before);
  const planned = checkPlan(plan);
  const ours = [INIT_INSIDE, ...covered.map((each) => each.path)];
  const check = (pid: number, others: readonly string[] = []) =>
    compareMounts(pid, planned, { roots: plan.roots, ours: [...ours, ...others] });
  if (programs.helper === undefined)
    return await startEntered(plan, {
      bubblewrap,
      folder,
      policy,
      ...parts,
      ports: portsOf(parts),
      covered,
      limits,
      check,
    });
  const rules = environmentRules({ home: plan.home, keep: policy.passVariables, path: parts.environment["PATH"] });
  writeFileSync(join(path, "environment"), rules);
  const filter = systemCallFilter();
  const init = { ...programs, helper, filter: filter && FILTER_DESCRIPTOR };
  return await startSession({
    ...common(start),
    form: { type: "bubblewrap", program: bubblewrap, argv: sessionArguments(plan, { init, covered, limits }) },
    filter,
    settings: settingsOf(start, { door: DOOR_PORT, listens: portsOf(parts) }),
    check,
  });
}

/** What both forms are started with. */
function common({ folder, groups, commands, removed, parts }: PlannedStart) {
  return {
    helper: folder.program,
    folder: folder.path,
    groups: groups.join,
    onStarting: parts.onStarting,
    onEvent(event: SandboxEvent) {
      if (event.type === "start") remember(commands, event);
      if (event.type === "removed" && removed.length < MAX_REMEMBERED) removed.push(event.path);
      parts.onEvent?.(event);
    },
  };
}

/** The Landlock form: nothing is mounted, so the home is a folder of its own, and loopback the machine's. */
async function startUnmounted(plan: SessionView, start: PlannedStart, home: string): Promise<StartedSession> {
  const { folder, policy, parts, programs, limits } = start;
  const { path } = folder;
  const temporary = join(path, "tmp");
  mkdirSync(temporary, { mode: 0o700 });
  const view = unmountedView(plan);
  const listeners = await listenOnLoopback(parts);
  const door = portOf(listeners.get(DOOR_PORT));
  try {
    const before = await listBefore(path, view, programs.helper ?? "");
    const held = copyChangeable(path, changeablePaths(view));
    const folders = outermostOf(writablePaths(view));
    writeFileSync(join(path, WATCHED), watchedRecords(view, policy, { before, held, folders }));
    notePlaces(path, view, policy, before);
    const { PATH } = parts.environment;
    const place = { home, temporary, keep: policy.passVariables, path: PATH };
    writeFileSync(join(path, "environment"), `${environmentRules(place)}${records([`=${FORM_VARIABLE}=landlock`])}`);
    const ports = [...(door === undefined ? [] : [door]), ...(parts.ports ?? [])];
    const rules = { privateHome: home, temporary, ports, path: PATH ?? "", signalboxHome: parts.signalboxHome };
    const session = await startSession({
      ...common(start),
      form: { type: "landlock", rules: landlockRules(view, rules) },
      filter: systemCallFilter(),
      // All processes of the user count, and not only those of the session.
      settings: settingsOf(
        { ...start, limits: { ...limits, processes: limits.processes + processesHere() } },
        { door, listens: [] },
      ),
      check: () => undefined,
    });
    void session.ended.then(() => listeners.values().forEach((server) => server.close()));
    return { ...session, listeners };
  } catch (error) {
    for (const server of listeners.values()) server.close();
    throw error;
  }
}

/** Threads of this user. For root the kernel counts none. */
function processesHere(): number {
  const own = process.getuid?.();
  if (own === 0) return 0;
  const counts = readdirSync("/proc").map((name) => {
    try {
      if (!/^\d+$/.test(name) || statSync(`/proc/${name}`).uid !== own) return 0;
      return Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1] ?? 1);
    } catch {
      // It has ended.
      return 0;
    }
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Nothing in the folders that commands can write is hidden in the Landlock form. */
export function unmountedView(plan: SessionView): SessionView {
  const writable = writablePaths(plan);
  const isShown = (path: string) => [plan.workspace, ...writable].some((root) => isInside(path, root));
  const isHidden = ({ kind, path }: SessionView["mounts"][number]) =>
    kind.startsWith("empty-") && isShown(path) && lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true;
  return { ...plan, mounts: plan.mounts.filter((mount) => !isHidden(mount)), placeholders: [], isUnmounted: true };
}

const portsOf = ({ door, ports = [] }: StartParts) => [...(door === true ? [DOOR_PORT] : []), ...ports];

const ID = "command-id";

interface InsidePorts {
  readonly door: number | undefined;
  /** On which init listens. */
  readonly listens: readonly number[];
}

function settingsOf({ parts, groups, limits }: PlannedStart, { door, listens }: InsidePorts): string {
  // The helper puts the id of each command in the place of the percent sign.
  const variables = parts.door === true && door !== undefined ? Object.entries(doorVariables(door, ID)) : [];
  return records([
    `b${systemProgram("bash") ?? "/bin/bash"}`,
    `n${limits.processes}`,
    `f${limits.file}`,
    ...(limits.data === undefined || groups.held.includes("memory") ? [] : [`d${limits.data}`]),
    ...variables.map(([name, value]) => `v${name}=${value.replace(ID, "%")}`),
    ...listens.map((port) => `l${port}`),
  ]);
}

/** The keeper takes as many. */
const MAX_KNOWN = 4000;

/** What a mount keeps from being created needs no watch; there are such mounts without the helper. */
const unheld = (plan: SessionView): SessionView => ({
  ...plan,
  watched: plan.watched.filter((path) => !plan.placeholders.some((each) => isInside(path, each))),
});

interface KnownBefore {
  readonly before: FoundBefore | undefined;
  /** Of protected paths that the keeper puts back (put-back.ts), and the folders that they are in. */
  readonly held?: readonly string[];
  readonly folders?: readonly string[];
}

/** The records of a linked worktree are outside the roots. */
function watchedRecords(plan: SessionView, policy: Policy, { before, held = [], folders = [] }: KnownBefore): string {
  const { roots, indexes, repositories } = plan;
  const watched = [...plan.watched, ...plan.links, ...missingAtTops(plan, openRepositories(plan, policy))];
  // Everything below counts as known too.
  const known = before?.known.filter((path) => bytesOf(textOf(path)) === path) ?? [];
  const elsewhere = watched.filter((path) => !roots.some((root) => isInside(path, root)));
  const around = new Set([...roots, ...folders, ...elsewhere.map((path) => dirname(path))]);
  return records([
    ...[...around].map((folder) => `w${folder}`),
    ...[...new Set(watched)].map((path) => `m${path}`),
    ...plan.links.map((path) => `l${path}`),
    ...held,
    ...indexes.flatMap(({ folder, workTree }) => [`r${folder}`, `t${workTree}`, `h${digestBytes(folder)}`]),
    ...[
      ...openRepositories(plan, policy),
      // Everything below counts as known too. A file of a command may call any folder a repository.
      ...repositories.filter((path) => basename(path) === ".git" && !isOpenRepository(path, plan)),
      ...known.map(textOf),
    ]
      .slice(0, MAX_KNOWN)
      .map((path) => `k${path}`),
  ]);
}

/** What would make a folder that people work in a repository: `.git`, and `HEAD` where its own one is broken. */
function missingAtTops({ roots, repositories }: SessionView, open: readonly string[]): readonly string[] {
  const tops = new Set([...roots, ...repositories.map((path) => dirname(path))]);
  return [...tops]
    .filter((top) => roots.some((root) => isInside(top, root)) && !open.some((each) => isInside(top, each)))
    .flatMap((top) => [join(top, ".git"), join(top, "HEAD")])
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) === undefined);
}

function remember(commands: Map<string, SessionCommand>, { id, command, folder }: SessionCommand): void {
  commands.set(id, { id, command, folder });
  for (const oldest of commands.keys()) {
    if (commands.size <= MAX_REMEMBERED) return;
    commands.delete(oldest);
  }
}
