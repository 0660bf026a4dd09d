import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Server } from "node:net";
import { text } from "node:stream/consumers";
import type { Policy } from "../../contract/policy.ts";
import { cleanEnvironment } from "../../lib/process/dangerous-variables.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { systemProgram } from "../../lib/path/find-program.ts";
import { DOOR_PORT, doorVariables, fixedVariables, isNotInside, pathSuffix } from "../session/command-environment.ts";
import { lookAfter } from "../session/left-behind.ts";
import type { Limits } from "../session/limits.ts";
import { removePlaceholders } from "../session/look-outside.ts";
import { type CoveredFile, sessionArguments } from "./session-argv.ts";
import type { SessionFolder } from "../session/session-folder.ts";
import type { SessionMount, SessionView } from "../session/session-plan.ts";
import { type SandboxEvent, SessionFailure, type StartedSession } from "./start-session.ts";

interface EnteredStart {
  readonly bubblewrap: string;
  readonly folder: SessionFolder;
  readonly policy: Policy;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly ports: readonly number[];
  readonly covered: readonly CoveredFile[];
  readonly limits: Limits;
  /** As in start-session.ts. */
  readonly check: (pid: number, placeholders: readonly string[]) => void;
  readonly onEvent?: ((event: SandboxEvent) => void) | undefined;
}

/**
 * The sandbox of a session without our helper: one bubblewrap that stays, entered with `nsenter` and `setpriv` by each
 * command. Known gaps: no system call filter and no limit of processes, descriptors above 9 of the caller come along,
 * a protected path that is missing shows as an empty folder, and commands have no ids.
 */
export async function startEntered(plan: SessionView, start: EnteredStart): Promise<StartedSession> {
  const programs = { nsenter: needed("nsenter"), setpriv: needed("setpriv"), env: needed("env") };
  const absent = [...new Set(plan.placeholders)];
  const mounts = [...plan.mounts, ...absent.map((path): SessionMount => ({ kind: "empty-folder", path }))];
  const release = async () => {
    removePlaceholders(absent);
    for (const found of await lookAfter(start.folder.path)) start.onEvent?.(found);
  };
  const isRoot = process.getuid?.() === 0;
  const words = [...sessionArguments({ ...plan, mounts }, start), ...(isRoot ? [] : SETUP_RIGHTS)];
  const wait = isRoot ? WAIT : `${CLOSE} && exec ${programs.setpriv} ${DROP.join(" ")} /bin/sh -c '${WAIT}'`;
  const child = spawn(start.bubblewrap, ["--args", "3", "--info-fd", "4", "--", "/bin/sh", "-c", wait], {
    cwd: "/",
    env: {},
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  try {
    const pid = await firstProcess(child, words, ended);
    start.check(pid, absent);
    if (isRoot) await closeUserNamespaces(programs.nsenter, pid);
    const enter = [programs.nsenter, "-t", String(pid), "-U", "--preserve-credentials"];
    const listeners = await listenInside(enter, start.ports);
    writeFileSync(start.folder.program, script(plan, start, { ...programs, enter }), { mode: 0o700 });
    child.unref();
    return {
      pid,
      listeners,
      ended,
      async [Symbol.asyncDispose]() {
        for (const server of listeners.values()) server.close();
        child.ref();
        end(child, pid);
        await ended;
        await release();
      },
    };
  } catch (error) {
    child.kill("SIGKILL");
    await ended;
    await release();
    throw error;
  }
}

/** The first process inside ends last of all in there, so that afterwards nobody uses the mounts any more. */
function end(child: ChildProcess, pid: number): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

const WAIT = "echo ready; exec sleep infinity";

/** Nobody in this user namespace can make another one; this machine's own limit stays. */
const CLOSE = "echo 0 > /proc/sys/user/max_user_namespaces";

/** An ordinary user loses all rights on entering, so the first process does it, and gives the rights up. */
const SETUP_RIGHTS = ["--cap-add", "CAP_SYS_RESOURCE", "--cap-add", "CAP_SETPCAP"];
const DROP = ["--no-new-privs", "--ambient-caps=-all", "--inh-caps=-all", "--bounding-set=-all"];

function needed(name: string): string {
  const program = systemProgram(name);
  if (program === undefined) throw new SessionFailure(`${name} is not installed`);
  return program;
}

/** The process that bubblewrap started inside, as this machine counts it, once all mounts are made. */
async function firstProcess(child: ChildProcess, words: readonly string[], ended: Promise<void>): Promise<number> {
  const [, stdout, stderr, plan, info] = child.stdio;
  if (!stdout || !stderr || !info || !("read" in stdout) || !("read" in stderr) || !("read" in info))
    throw new SessionFailure("no free descriptors");
  const errors = text(stderr);
  errors.catch(() => undefined);
  const facts = text(info);
  facts.catch(() => undefined);
  if (plan && "end" in plan) plan.on("error", () => undefined).end(words.map((word) => `${word}\0`).join(""));
  await Promise.race([once(stdout, "data"), ended]);
  if (child.exitCode !== null || child.signalCode !== null) throw new SessionFailure((await errors).trim());
  const value = parseJson(await facts);
  const pid = isRecord(value) ? value["child-pid"] : undefined;
  if (typeof pid !== "number") throw new SessionFailure("bubblewrap did not say which process it started");
  return pid;
}

/** As root, from outside: kernel settings are read-only inside. */
async function closeUserNamespaces(nsenter: string, pid: number): Promise<void> {
  const args = ["-t", String(pid), "-U", "--preserve-credentials", "/bin/sh", "-c", CLOSE];
  const child = spawn(nsenter, args, { stdio: "ignore", env: {} });
  const [code]: unknown[] = await once(child, "exit");
  if (code !== 0) throw new SessionFailure("user namespaces cannot be closed inside the sandbox");
}

/** A short-lived Node that enters the network, listens there, and hands the listeners over. */
async function listenInside(enter: readonly string[], ports: readonly number[]): Promise<ReadonlyMap<number, Server>> {
  const listeners = new Map<number, Server>();
  if (ports.length === 0) return listeners;
  const [program = "", ...args] = [...enter, "-n", process.execPath, "-e", LISTEN, ...ports.map(String)];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "ignore", "ipc"], env: {} });
  child.on("message", (port: unknown, handle: unknown) => {
    if (typeof port === "number" && handle instanceof Server) listeners.set(port, handle.unref());
  });
  await once(child, "exit");
  if (listeners.size < ports.length) throw new SessionFailure("cannot listen inside the sandbox");
  return listeners;
}

const LISTEN = `const net = require("node:net");
let left = process.argv.length - 1;
for (const port of process.argv.slice(1).map(Number)) {
  const server = net.createServer().listen(port, "127.0.0.1", () =>
    process.send(port, server, () => { if (--left === 0) process.disconnect(), process.exit(0); }));
}`;

interface Programs {
  readonly setpriv: string;
  readonly env: string;
  readonly enter: readonly string[];
}

function script(plan: SessionView, start: EnteredStart, { setpriv, env, enter }: Programs): string {
  const door = start.ports.includes(DOOR_PORT) ? doorVariables(DOOR_PORT, "session") : {};
  const passed = Object.entries(cleanEnvironment(start.environment, start.policy.passVariables)).filter(
    ([name]) => !isNotInside(name),
  );
  const own = Object.fromEntries(passed);
  const path = `${own["PATH"] ?? "/usr/bin:/bin"}${pathSuffix(plan.home)}`;
  const variables = { ...own, PATH: path, ...fixedVariables(plan.home), ...door };
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const rights = process.getuid?.() === 0 ? ["--bounding-set=-all", "--inh-caps=-all"] : [];
  const before = [env, "-i", ...settings, ...enter, "-m", "-n", "-p", "-i", "-u"];
  const after = [setpriv, "--no-new-privs", ...rights, "--pdeathsig", "KILL"];
  const bash = [systemProgram("bash") ?? "/bin/bash", "--norc", "--noprofile", "-c", "--"];
  return `#!/bin/sh
# Runs a command in the sandbox of a signalbox session.
if [ "$#" -gt 1 ] && [ "$1" = -- ]; then shift; else set -- ${bash.map(shQuote).join(" ")} "$1"; fi
ulimit -c 0
exec ${before.map(shQuote).join(" ")} --wdns="$PWD" ${after.map(shQuote).join(" ")} "$@" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
`;
}
