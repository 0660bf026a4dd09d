import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { constants } from "node:os";
import { isOwnProc } from "./process-table.ts";

/** A program that writes its output to one of our descriptors. */
interface ProgramOrder {
  /** The path of the program. */
  readonly program: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly output: number;
}

interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface StartedProgram {
  readonly pid: number;
  readonly exited: Promise<ProgramEnd>;
}

/**
 * Starts programs through a small process of its own, each in its own process group and without input. A fork copies
 * the tables of all memory, so it takes a process as large as ours several milliseconds, and that one far less.
 */
export interface ProgramStarter {
  /** Undefined if it was not started, so that another way can be tried. Throws if that is not known. */
  start(order: ProgramOrder): Promise<StartedProgram | undefined>;
  close(): void;
}

/** `helper` is the program in sandbox-init/; without it, nothing is started. */
export function openStarter(helper: string | undefined): ProgramStarter {
  const isPossible = helper !== undefined && process.platform === "linux" && isOwnProc();
  const child = isPossible ? spawnStarter(helper) : undefined;
  return child?.pid === undefined ? NO_STARTER : starterOf(child);
}

const NO_STARTER: ProgramStarter = { start: () => Promise.resolve(undefined), close() {} };

function spawnStarter(helper: string) {
  const child = spawn(helper, ["start"], {
    argv0: "signalbox starter",
    env: {},
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.on("error", () => undefined);
  return child;
}

type Starting = PromiseWithResolvers<StartedProgram | undefined>;

const [STARTED, FAILED] = [1, 2];

function starterOf(child: ReturnType<typeof spawnStarter>): ProgramStarter {
  const starting: Starting[] = [];
  const running = new Map<number, (end: ProgramEnd) => void>();
  let isOpen = true;
  // It must not keep us from ending, but what it runs must.
  const hold = () => holdOpen(child, starting.length + running.size > 0);
  const fail = () => {
    isOpen = false;
    for (const each of starting.splice(0)) each.reject(new Error("the process that starts commands has ended"));
    for (const end of running.values()) end({ code: null, signal: null });
    running.clear();
  };
  eachReply(child, (kind, pid, value) => {
    if (kind === STARTED) {
      const { promise: exited, resolve } = Promise.withResolvers<ProgramEnd>();
      running.set(pid, resolve);
      starting.shift()?.resolve({ pid, exited });
    } else if (kind === FAILED) starting.shift()?.resolve(undefined);
    else {
      running.get(pid)?.(endOf(value));
      running.delete(pid);
    }
    hold();
  });
  child.on("exit", fail);
  for (const stream of [child.stdin, child.stdout]) stream.on("error", fail);
  hold();
  return {
    async start(order) {
      const bytes = isOpen ? orderBytes(order) : undefined;
      if (bytes === undefined) return undefined;
      const each: Starting = Promise.withResolvers();
      starting.push(each);
      hold();
      child.stdin.write(bytes);
      return await each.promise;
    },
    close() {
      isOpen = false;
      child.stdin.end();
    },
  };
}

const REPLY_BYTES = 12;

function eachReply(
  { stdout }: ReturnType<typeof spawnStarter>,
  act: (...reply: [number, number, number]) => void,
): void {
  let rest: Buffer = Buffer.alloc(0);
  stdout.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (; rest.length >= REPLY_BYTES; rest = rest.subarray(REPLY_BYTES))
      act(rest.readUInt32LE(0), rest.readUInt32LE(4), rest.readUInt32LE(8));
  });
}

function holdOpen(child: ChildProcess, isBusy: boolean): void {
  const word = isBusy ? "ref" : "unref";
  child[word]();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream[word]();
}

const MAGIC = 0x31584253;
const HEADER_BYTES = 16;

const MAX_BYTES = 16 * 1024 * 1024;

/** See sandbox-init/starter.h. Undefined for what cannot be said in this form. */
function orderBytes({ program, argv, cwd, env, output }: ProgramOrder): Buffer | undefined {
  const texts = [program, cwd, ...argv, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  if (argv.length === 0 || texts.some((text) => text.includes("\0"))) return undefined;
  const strings = Buffer.from(texts.map((text) => `${text}\0`).join(""));
  if (strings.length > MAX_BYTES) return undefined;
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, value] of [MAGIC, strings.length, argv.length, output].entries())
    header.writeUInt32LE(value, 4 * index);
  return Buffer.concat([header, strings]);
}

/** A wait status, in the system's form. */
function endOf(status: number): ProgramEnd {
  const number = status & 127;
  if (number === 0) return { code: (status >> 8) & 255, signal: null };
  return { code: null, signal: SIGNALS.get(number) ?? "SIGKILL" };
}

const isSignal = (name: string): name is NodeJS.Signals => name in constants.signals;

const SIGNALS = new Map(
  Object.keys(constants.signals)
    .filter(isSignal)
    .map((name) => [constants.signals[name], name]),
);
