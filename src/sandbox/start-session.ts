import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Server } from "node:net";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../lib/is-record.ts";
import { INIT_INSIDE } from "./session-argv.ts";

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
  /** A protected path was created inside and taken away, `appeared` outside, or recreated so often that all was ended. */
  | { readonly type: "removed" | "appeared" | "ended-all"; readonly path: string };

interface SessionStart {
  /** The helper's copy, in the private folder where it makes its socket. */
  readonly helper: string;
  readonly folder: string;
  readonly group: string | undefined;
  readonly bubblewrap: string;
  readonly bubblewrapArguments: readonly string[];
  readonly filter: Buffer | undefined;
  readonly settings: string;
  readonly onEvent: (event: SandboxEvent) => void;
}

export interface StartedSession extends AsyncDisposable {
  readonly pid: number;
  /** Listening inside the sandbox's network, by port. */
  readonly listeners: ReadonlyMap<number, Server>;
  readonly ended: Promise<void>;
}

/** Why a session did not start: what bubblewrap or the helper said. */
export class SessionFailure extends Error {}

const READY_MS = 20_000;

/** Starts bubblewrap with the helper as its first process, and waits until it takes commands. */
export async function startSession(start: SessionStart): Promise<StartedSession> {
  const child = spawn(
    start.helper,
    ["serve", start.folder, start.group ?? "", start.bubblewrap, "--args", "4", "--", INIT_INSIDE],
    {
      cwd: "/",
      // Commands can read bubblewrap's own environment.
      env: {},
      // Its own session: Ctrl-C at the terminal is for the agent.
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc", "pipe", "pipe", "pipe"],
    },
  );
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const errors = collected(child);
  const listeners = new Map<number, Server>();
  const ready = new Promise<boolean>((resolve) => {
    child.on("message", (message: unknown, handle: unknown) => {
      if (!isRecord(message)) return;
      const { type, port } = message;
      if (type === "ready") resolve(true);
      else if (type === "listener" && typeof port === "number" && handle instanceof Server)
        listeners.set(port, handle.unref());
      else report(message, start.onEvent);
    });
    void ended.then(() => resolve(false));
    void sleep(READY_MS, undefined, { ref: false }).then(() => resolve(false));
  });
  feed(child, 4, start.bubblewrapArguments.map((word) => `${word}\0`).join(""));
  feed(child, 5, start.filter ?? "");
  feed(child, 6, start.settings);
  if (!(await ready)) {
    child.kill("SIGKILL");
    await ended;
    throw new SessionFailure(await errors);
  }
  // A session must not keep its launcher running.
  child.unref();
  child.channel?.unref();
  return {
    pid: child.pid ?? 0,
    listeners,
    ended,
    async [Symbol.asyncDispose]() {
      for (const server of listeners.values()) server.close();
      child.ref();
      child.kill("SIGKILL");
      await ended;
    },
  };
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
  const { type, id, path, command, folder, status } = message;
  if (type === "start" && typeof id === "string" && typeof command === "string" && typeof folder === "string")
    onEvent({ type, id, command, folder });
  else if (type === "end" && typeof id === "string" && typeof status === "number") onEvent({ type, id, status });
  else if ((type === "removed" || type === "appeared" || type === "ended-all") && typeof path === "string")
    onEvent({ type, path });
}
