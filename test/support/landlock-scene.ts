import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  lchownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Readable, Writable } from "node:stream";
import { helperProgram } from "../../src/lib/path/package-folder.ts";
import { isRecord } from "../../src/lib/json/json-value.ts";
import { parseJson } from "../../src/lib/json/parse-json.ts";
import { readLines } from "../../src/lib/text/decode-lines.ts";
import { removeTree } from "../../src/lib/files/folder-tree.ts";
import { records } from "../../src/sandbox/session/command-environment.ts";
import { systemCallFilter } from "../../src/sandbox/linux/system-call-filter.ts";

/** The address of a Unix socket has at most 107 bytes, and programs in the scene make some. */
const SHORT = tmpdir().length > 40 ? "/tmp" : tmpdir();

const helper = helperProgram() ?? "";

/** The ABI of Landlock that the helper would use on this machine; 0 if there is none that will do. */
export const landlockAbi =
  process.platform === "linux" && helper !== ""
    ? Number(spawnSync(helper, ["landlock"], { argv0: "signalbox landlock" }).stdout.toString()) || 0
    : 0;

export interface LandlockScene extends AsyncDisposable {
  readonly base: string;
  /** Hidden, but for the workspace in it. */
  readonly home: string;
  readonly workspace: string;
  /** HOME of commands: `home` is hidden. */
  readonly privateHome: string;
  /** The private TMPDIR. */
  readonly temporary: string;
  readonly program: string;
  /** The port that stands for the network door; what is listening there says `door`. */
  readonly door: number;
  /** Everything that init told the launcher, and then the keeper. */
  readonly messages: readonly Record<string, unknown>[];
  readonly keeper: ChildProcess;
  readonly environment: NodeJS.ProcessEnv;
  /** Runs a line inside, or with `bare` outside, in the workspace with the scene's home and as its user. */
  run(line: string, timeout?: number): Promise<LandlockResult>;
  bare(line: string, timeout?: number): Promise<LandlockResult>;
  /** The same without waiting. */
  start(line: string): ChildProcess;
}

interface LandlockResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

export interface LandlockParts {
  readonly uid?: number | undefined;
  /** The ABI to stop at. */
  readonly abi?: number | undefined;
  readonly rules?: (base: string) => readonly string[];
  /** Records of the keeper's list, such as a protected path that does not exist. */
  readonly watched?: (workspace: string) => readonly string[];
  /** Fills the folders before they are given to the user. */
  readonly layOut?: (base: string) => void;
  /** Words before the helper's. */
  readonly wrapper?: readonly string[];
}

/** Everything but the folders that may hold a home, devices (root may read disks) and what runs. */
function systemRules(hidden: readonly string[]): readonly string[] {
  const folders = readdirSync("/").map((name) => join("/", name));
  const isHidden = (path: string) => hidden.some((each) => each === path || each.startsWith(`${path}/`));
  const shown = folders.filter((path) => !isHidden(path));
  const devices = ["null", "zero", "full", "random", "urandom", "tty", "ptmx"].map((name) => `d/dev/${name}`);
  const node = dirname(dirname(realpathSync(process.execPath)));
  return [...shown.map((path) => `r${path}`), `r${node}`, ...devices];
}

/** A session in the Landlock form, with a home, a workspace and a TMPDIR of its own. Throws what it said if it ended. */
export async function openLandlockScene(parts: LandlockParts = {}): Promise<LandlockScene> {
  const base = realpathSync(mkdtempSync(join(SHORT, "signalbox-landlock-")));
  const places = makePlaces(base, parts);
  const { workspace, temporary, privateHome, shown, environment } = places;
  const user = parts.uid === undefined ? {} : { uid: parts.uid, gid: parts.uid };
  const server = createServer((socket) => socket.on("error", () => undefined).end("door\n"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const door = portOf(server);
  const keeper = startKeeper(places, parts);
  const exited = once(keeper, "exit");
  const messages: Record<string, unknown>[] = [];
  const take = (message: unknown) => void (isRecord(message) && messages.push(message));
  keeper.on("message", take);
  const heard = hear(keeper, take);
  const errors = textOf(keeper.stderr);
  feed(
    keeper,
    4,
    records([
      ...systemRules([base, SHORT, "/root", "/home", "/dev", "/run"]),
      ...[workspace, temporary, privateHome].map((path) => `w${path}`),
      ...[workspace, temporary].map((path) => `u${path}`),
      `r${shown}`,
      `p${door}`,
      ...(parts.rules?.(base) ?? []),
    ]),
  );
  feed(keeper, 5, systemCallFilter() ?? "");
  feed(keeper, 6, records(["b/bin/bash", "f8589934592", "vSIGNALBOX_COMMAND=%"]));
  const end = async () => {
    keeper.kill();
    await exited;
    await heard;
    server.close();
    removeTree(base);
  };
  const isReady = () => messages.some(({ type }) => type === "ready");
  await until(() => isReady() || keeper.exitCode !== null, "neither ready nor ended");
  if (!isReady()) {
    await end();
    throw new Error(`${keeper.exitCode}: ${await errors}`);
  }
  return {
    ...places,
    door,
    messages,
    keeper,
    ...runners(places.program, { cwd: workspace, env: environment, ...user }),
    [Symbol.asyncDispose]: end,
  };
}

function makePlaces(base: string, { uid, layOut, watched }: LandlockParts) {
  const place = (name: string) => join(base, name);
  const [home, workspace, privateHome, shown] = [place("home"), place("home/work"), place("private"), place("shown")];
  const [temporary, session] = [place("tmp"), place("s")];
  for (const folder of [workspace, privateHome, shown, temporary, join(session, "kept")])
    mkdirSync(folder, { recursive: true });
  const program = join(session, "sandbox");
  copyFileSync(helper, program);
  const PATH = process.env["PATH"];
  const folders = { HOME: privateHome, TMPDIR: temporary, TMUX_TMPDIR: temporary };
  const environment = { ...folders, PATH, LANG: "C", SHELL: "/bin/bash" };
  const fixed = Object.entries(environment).map(([name, value]) => `=${name}=${value}`);
  writeFileSync(join(session, "environment"), records(["wSECRET", ...fixed]));
  writeFileSync(join(session, "watched"), records([`w${workspace}`, ...(watched?.(workspace) ?? [])]));
  layOut?.(base);
  if (uid !== undefined) giveTo(base, uid);
  return { base, home, workspace, privateHome, shown, temporary, session, program, environment };
}

function startKeeper(
  { program, session }: { readonly program: string; readonly session: string },
  { uid, abi, wrapper = [] }: LandlockParts,
): ChildProcess {
  const words = [program, "serve-landlock", session, "", ...(abi === undefined ? [] : [String(abi)])];
  return spawn(wrapper[0] ?? program, wrapper.length === 0 ? words.slice(1) : [...wrapper.slice(1), ...words], {
    cwd: "/",
    env: {},
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    stdio: ["ignore", "pipe", "pipe", "ipc", "pipe", "pipe", "pipe"],
  });
}

function runners(program: string, options: SpawnOptions): Pick<LandlockScene, "run" | "bare" | "start"> {
  const start = (words: readonly string[], timeout?: number) =>
    spawn(words[0] ?? "", words.slice(1), {
      ...options,
      ...(timeout === undefined ? {} : { timeout, killSignal: "SIGKILL" }),
      stdio: ["ignore", "pipe", "pipe"],
    });
  const run = async (words: readonly string[], timeout = 60_000): Promise<LandlockResult> => {
    const child = start(words, timeout);
    const output = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    await once(child, "close");
    return { code: child.exitCode, signal: child.signalCode, output: (await output).join("") };
  };
  return {
    run: (line, timeout) => run([program, line], timeout),
    bare: (line, timeout) => run(["/bin/bash", "--norc", "--noprofile", "-c", line], timeout),
    start: (line) => start([program, line]),
  };
}

const portOf = (server: { address(): AddressInfo | string | null }): number => {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
};

function giveTo(path: string, uid: number): void {
  lchownSync(path, uid, uid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), uid);
}

async function hear(child: ChildProcess, take: (message: unknown) => void): Promise<void> {
  for await (const line of readLines(child.stdout ?? Readable.from([]))) take(parseJson(line));
}

async function textOf(stream: Readable | null): Promise<string> {
  let text = "";
  for await (const chunk of stream ?? []) text += String(chunk);
  return text;
}

function feed(child: ChildProcess, descriptor: number, content: string | Buffer): void {
  const stream = child.stdio[descriptor];
  if (!(stream instanceof Writable)) return;
  stream.on("error", () => undefined);
  stream.end(content);
}

/** Until something is so. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; !holds(); await sleep(5)) if (Date.now() > deadline) throw new Error(what);
}
