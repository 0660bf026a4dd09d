import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Server, Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { processLife } from "../../lib/process/folder-owner.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { readLines } from "../../lib/text/decode-lines.ts";
import { startTime } from "../../lib/process/process-table.ts";
import { records } from "../session/command-environment.ts";
import { type FoundAfter, lookAfter } from "../session/left-behind.ts";
import { INIT_INSIDE } from "./session-argv.ts";
import { addOwner } from "../session/session-folder.ts";

/** A command of the session, as the helper reports it. */
export interface SessionCommand {
  /** Unguessable; also the user name of its proxy variables. */
  readonly id: string;
  /** At most 4,096 bytes of it. */
  readonly command: string;
  readonly folder: string;
}

export type SandboxEvent =
  | ({ readonly type: "start" } & SessionCommand)
  | { readonly type: "end"; readonly id: string; readonly status: number }
  /**
   * A protected path was created inside and taken away, or `appeared` outside. It was recreated so often that all
   * commands were ended, or the session was. Or it could not be taken away, and the session was ended. `restored`: one
   * that was there was changed, and put back. `unlinked`: a
   * repository that the index of the one above links to. `odd-index`: an index that git does not make. `git-link`: a
   * link among git's records.
   */
  | { readonly type: (typeof PATH_EVENTS)[number]; readonly path: string }
  | FoundAfter;

const PATH_EVENTS = [
  "removed",
  "restored",
  "unlinked",
  "odd-index",
  "git-link",
  "appeared",
  "ended-all",
  "ended-session",
  "stuck",
] as const;

interface SessionStart {
  /** The helper's copy, in the private folder where it makes its socket. */
  readonly helper: string;
  readonly folder: string;
  /** The files of the control groups that bubblewrap joins. */
  readonly groups: readonly string[];
  readonly form: StartedForm;
  readonly filter: Buffer | undefined;
  readonly settings: string;
  readonly onEvent: (event: SandboxEvent) => void;
  /** Called while its first process starts, for what can be done meanwhile. */
  readonly onStarting?: (() => void) | undefined;
  /** Called when everything is mounted and no command runs yet. What it throws ends the session. */
  readonly check: (pid: number) => void;
}

/** By which program, and with which arguments, or with which rules of Landlock. */
type StartedForm =
  | { readonly type: "bubblewrap"; readonly program: string; readonly argv: readonly string[] }
  | { readonly type: "landlock"; readonly rules: readonly string[] };

export interface StartedSession extends AsyncDisposable {
  readonly pid: number;
  /** Listening inside the sandbox's network, by port. */
  readonly listeners: ReadonlyMap<number, Server>;
  readonly ended: Promise<void>;
}

/** Why a session did not start: what bubblewrap or the helper said. */
export class SessionFailure extends Error {}

const READY_MS = 20_000;

/** Starts the helper as the first process inside, and waits until it takes commands. */
export async function startSession(start: SessionStart): Promise<StartedSession> {
  const { form } = start;
  const [verb, ...words] =
    form.type === "landlock" ? ["serve-landlock"] : ["serve", form.program, "--args", "4", "--", INIT_INSIDE];
  const child = spawn(start.helper, [verb ?? "", start.folder, start.groups.join(":"), ...words], {
    cwd: "/",
    // Commands can read bubblewrap's own environment.
    env: {},
    // Its own session: Ctrl-C at the terminal is for the agent.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc", "pipe", "pipe", "pipe"],
  });
  if (child.pid !== undefined) addOwner(start.folder, child.pid);
  const restored = new Set<string>();
  const heard = hearKeeper(child, (event) => {
    if (event.type === "restored") restored.add(event.path);
    start.onEvent(event);
  });
  let init: OtherProcess | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const ended = exited.then(async () => {
    await heard;
    await gone(init);
    for (const found of await lookAfter(start.folder)) tell(found, restored, start.onEvent);
  });
  const errors = collected(child);
  const listeners = new Map<number, Server>();
  const ready = hearInit(child, listeners, start.onEvent);
  feed(child, 4, records(form.type === "landlock" ? form.rules : form.argv));
  feed(child, 5, start.filter ?? "");
  feed(child, 6, start.settings);
  if (start.onStarting !== undefined) setImmediate(start.onStarting);
  const isReady = await Promise.race([ready, ended.then(() => false), sleep(READY_MS, false, { ref: false })]);
  if (!isReady) {
    await end(child, ended);
    throw new SessionFailure(await errors);
  }
  init = descendant(child.pid ?? 0, GENERATIONS[form.type]);
  try {
    if (init === undefined) throw new SessionFailure("the first process of the sandbox cannot be found");
    start.check(init.pid);
  } catch (error) {
    await end(child, ended);
    throw error;
  }
  // A session must not keep its launcher running.
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
  return {
    pid: child.pid ?? 0,
    listeners,
    ended,
    async [Symbol.asyncDispose]() {
      for (const server of listeners.values()) server.close();
      child.ref();
      await end(child, ended);
    },
  };
}

/** What was put back is new, and as it was. */
function tell(found: FoundAfter, restored: ReadonlySet<string>, onEvent: SessionStart["onEvent"]): void {
  if (found.type !== "self-running") return onEvent(found);
  const paths = found.paths.filter((path) => !restored.has(path));
  if (paths.length > 0) onEvent({ ...found, paths });
}

const END_MS = 20_000;

/** Not SIGKILL: the keeper ends the sandbox, and then looks a last time for what commands left. */
async function end(keeper: ChildProcess, ended: Promise<void>): Promise<void> {
  keeper.kill();
  const late = setTimeout(() => keeper.kill("SIGKILL"), END_MS);
  await ended;
  clearTimeout(late);
}

/** True once init takes commands. */
function hearInit(child: ChildProcess, listeners: Map<number, Server>, onEvent: SessionStart["onEvent"]) {
  return new Promise<boolean>((resolve) => {
    child.on("message", (message: unknown, handle: unknown) => {
      if (!isRecord(message)) return;
      const { type, port } = message;
      if (type === "ready") resolve(true);
      else if (type === "listener" && typeof port === "number" && handle instanceof Server)
        listeners.set(port, handle.unref());
      else report(message, onEvent);
    });
  });
}

interface OtherProcess {
  readonly pid: number;
  readonly started: string;
}

/** From the keeper to init: past bubblewrap, or past supervisor and reaper. */
const GENERATIONS = { bubblewrap: 2, landlock: 3 } as const;

/** Init, as this machine counts it. */
function descendant(keeper: number, generations: number): OtherProcess | undefined {
  try {
    let pid = keeper;
    for (let left = generations; left > 0; left--)
      pid = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
    return pid > 0 ? { pid, started: startTime(pid) ?? "" } : undefined;
  } catch {
    // A kernel that does not list children.
    return undefined;
  }
}

const GONE_MS = 5000;
const UNSEEN_MS = 200;

/** Init ends last of all inside. The keeper waits for it, unless it was killed; then everything inside is, too. */
async function gone(init: OtherProcess | undefined): Promise<void> {
  if (init === undefined) return await sleep(UNSEEN_MS);
  const deadline = Date.now() + GONE_MS;
  while (processLife(init) === "alive" && Date.now() < deadline) await sleep(2);
}

function feed(child: ChildProcess, descriptor: number, content: string | Buffer): void {
  const stream = child.stdio[descriptor];
  if (!(stream instanceof Writable)) return;
  // It ended before it read everything; its exit says why.
  stream.on("error", () => undefined);
  stream.end(content);
}

const MAX_ERRORS = 4000;

async function collected(child: ChildProcess): Promise<string> {
  const failure = once(child, "error").then(([error]: unknown[]) => (error instanceof Error ? error.message : ""));
  failure.catch(() => undefined);
  const output = (async () => {
    let text = "";
    // A child that got no free descriptor has no streams.
    for await (const chunk of child.stderr ?? []) text = `${text}${String(chunk)}`.slice(0, MAX_ERRORS);
    return text.trim();
  })();
  output.catch(() => undefined);
  return await Promise.race([output, failure]);
}

function report(message: Record<string, unknown>, onEvent: (event: SandboxEvent) => void): void {
  const { type, id, command, folder, status } = message;
  if (type === "start" && typeof id === "string" && typeof command === "string" && typeof folder === "string")
    onEvent({ type, id, command, folder });
  else if (type === "end" && typeof id === "string" && typeof status === "number") onEvent({ type, id, status });
}

/** Lines of the keeper, which watches from outside. */
async function hearKeeper(child: ChildProcess, onEvent: (event: SandboxEvent) => void): Promise<void> {
  for await (const line of readLines(child.stdout ?? Readable.from([]))) {
    const message = parseJson(line);
    const { type: told, path } = isRecord(message) ? message : {};
    const type = PATH_EVENTS.find((each) => each === told);
    if (type !== undefined && typeof path === "string") onEvent({ type, path });
  }
}
