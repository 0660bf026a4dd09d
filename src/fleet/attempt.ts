import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFolder } from "../lib/files/make-folder.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { isInside } from "../lib/path/inside.ts";
import { shortLine } from "../lib/text/printable.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { findRun } from "../receipts/run/known-runs.ts";
import { exportReceipt, findReceipt } from "../receipts/seal/find-receipt.ts";
import { MAX_BLOB_BYTES } from "./blobs.ts";
import type { Blob, FleetOrder, FleetReceipt } from "./documents.ts";
import type { Fleet, Lease } from "./port.ts";
import { unpackWorkspace } from "./workspace.ts";

/** What an attempt needs from the worker. */
export interface AttemptSetup {
  readonly fleet: Fleet;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts `signalbox fleet attempt`. */
  readonly program: readonly [string, ...string[]];
  /** Closes runs whose process is gone, and ends what they left running. */
  readonly recover: () => Promise<void>;
  /** Aborted when the worker is to end. */
  readonly signal: AbortSignal;
}

/** What an attempt came to. `undefined` for the result of one that lost its lease. */
export type AttemptEnd = Pick<
  FleetReceipt,
  "outcome" | "exit_code" | "because" | "run" | "receipt" | "patch" | "artifacts"
>;

/** The exit code of an attempt that ended itself, because its worker was silent. */
export const LEASE_OVER = 75;

/** How often in a lease a worker gives a sign of life. */
const BEATS_PER_LEASE = 4;

/**
 * Does a leased order in a fresh workspace. A process of its own does the run: it ends itself and its agent when it has
 * not heard from us, or we not from the fleet, for most of a lease.
 */
export async function doAttempt(order: FleetOrder, lease: Lease, setup: AttemptSetup): Promise<AttemptEnd | undefined> {
  const missing = order.secrets.filter((name) => (setup.env[name] ?? "") === "");
  if (missing.length > 0) return refused(`the worker has no value for ${missing.join(", ")}`);
  makeFolder(join(setup.home, "fleet", "work"));
  const folder = mkdtempSync(join(setup.home, "fleet", "work", `${order.id.slice(0, 8)}-`));
  try {
    const root = join(folder, "workspace");
    const bundle = join(folder, "workspace.bundle");
    const unpacked = beatWhile(lease, setup.fleet, async () => {
      await setup.fleet.getBlob(order.workspace.bundle, bundle);
      await unpackWorkspace(bundle, order.workspace.commit, root);
    });
    const problem = await unpacked.then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    if (problem !== undefined) return refused(`its workspace cannot be unpacked: ${problem}`);
    return await runInProcess(order, lease, { ...setup, folder, root });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const NOTHING = { exit_code: null, run: null, receipt: null, patch: null, artifacts: [] };

export const refused = (because: string): AttemptEnd => ({ ...NOTHING, outcome: "refused", because: brief(because) });

export const lost = (because: string): AttemptEnd => ({ ...NOTHING, outcome: "lost", because: brief(because) });

const brief = (text: string) => shortLine(text, 500);

/** Keeps a lease while `work` goes on. What cannot be said now is said with the next beat. */
export async function beatWhile<Result>(lease: Lease, fleet: Fleet, work: () => Promise<Result>): Promise<Result> {
  const beat = setInterval(() => void fleet.heartbeat(lease).catch(() => undefined), lease.leaseMs / BEATS_PER_LEASE);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}

interface RunPlace extends AttemptSetup {
  readonly folder: string;
  readonly root: string;
}

async function runInProcess(order: FleetOrder, lease: Lease, place: RunPlace): Promise<AttemptEnd | undefined> {
  const file = join(place.folder, "order.json");
  const secrets = Object.fromEntries(order.secrets.map((name) => [name, place.env[name] ?? ""]));
  const { config, workspace } = order.order;
  const whole = {
    ...order.order,
    workspace: { ...workspace, root: place.root, mode: "staged" },
    config: { ...config, env: { ...config.env, ...secrets } },
  };
  writeFileSync(file, JSON.stringify(whole), { mode: 0o600 });
  const [program, ...argv] = place.program;
  const heard = uptime();
  const beat = await place.fleet.heartbeat(lease);
  if (beat.state === "lost") return undefined;
  const child = spawn(program, argv, { cwd: place.root, env: place.env, stdio: ["pipe", "pipe", "pipe"] });
  const seen = follow(child);
  const start = { leaseMs: lease.leaseMs, heard, words: [order.agent], flags: flagsOf(order, file) };
  child.stdin.write(`${JSON.stringify(start)}\n`);
  const { isLost, isStopped } = await keepLease(child, lease, place);
  const end = await seen;
  if (end.signal !== null || end.run === undefined || end.exitCode === undefined) await place.recover();
  if (isLost()) return undefined;
  if (isStopped()) return lost("the worker was told to end");
  if (end.code === LEASE_OVER) return lost("the worker could not reach the fleet for most of a lease");
  if (end.signal !== null) return lost(`the process of the run was killed (${end.signal})`);
  if (end.run === undefined) return refused(end.errors === "" ? `it ended with ${end.code}` : end.errors);
  return await beatWhile(lease, place.fleet, () => gather(end, place));
}

/** The flags of `signalbox run`, by their names in camel case. */
function flagsOf(order: FleetOrder, file: string): Readonly<Record<string, unknown>> {
  return {
    order: file,
    json: true,
    accept: order.accept,
    acceptKeep: order.accept_keep,
    acceptChanged: order.accept_changed,
    ...(order.rounds === 1 ? {} : { rounds: String(order.rounds) }),
    ...(order.timeout === null ? {} : { timeout: String(order.timeout) }),
    ...(order.idle === null ? {} : { idle: String(order.idle) }),
    ...(order.require_sandbox ? { requireSandbox: true } : {}),
  };
}

/** Tells the process of every heartbeat, until it ends. It is told to end when the lease is lost, or somebody cancels. */
async function keepLease(child: ChildProcess, lease: Lease, { fleet, signal }: AttemptSetup) {
  let isLost = false;
  const ended = new AbortController();
  child.once("exit", () => ended.abort());
  child.once("error", () => ended.abort());
  child.stdin?.on("error", () => {});
  const stop = () => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  while (!ended.signal.aborted) {
    const asked = uptime();
    const beat = await fleet.heartbeat(lease).catch(() => undefined);
    if (beat?.state === "lost") isLost = true;
    if (beat?.state === "held") child.stdin?.write(`${asked}\n`);
    if (beat?.state === "lost" || (beat?.state === "held" && beat.cancel !== undefined)) stop();
    await sleep(lease.leaseMs / BEATS_PER_LEASE, undefined, { signal: ended.signal }).catch(() => undefined);
  }
  signal.removeEventListener("abort", stop);
  return { isLost: () => isLost, isStopped: () => signal.aborted };
}

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The run's id, if it began. */
  readonly run: string | undefined;
  /** Undefined if the run has no receipt. */
  readonly exitCode: number | undefined;
  readonly because: string;
  readonly errors: string;
}

const MAX_ERRORS = 4096;
const MAX_LINE = 8 * 1024 * 1024;

/** Reads what `run --json` prints. */
async function follow(child: ChildProcess): Promise<ProcessEnd> {
  let [rest, errors, because] = ["", "", ""];
  let run: string | undefined;
  let exitCode: number | undefined;
  const read = (line: string) => {
    if (!line.includes('"run_started"') && !line.includes('"run_completed"')) return;
    const event = parsed(line);
    const ext = isRecord(event) && isRecord(event["ext"]) ? event["ext"] : {};
    if (!isRecord(event) || typeof ext["run_id"] !== "string") return;
    if (event["type"] === "run_started") run ??= ext["run_id"];
    if (event["type"] !== "run_completed" || ext["run_id"] !== run) return;
    exitCode = Number(ext["exit_code"]);
    because = String(ext["because"]);
  };
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = (lines.pop() ?? "").slice(-MAX_LINE);
    lines.forEach(read);
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (errors = (errors + chunk).slice(-MAX_ERRORS)));
  return await new Promise<ProcessEnd>((resolve) => {
    child.once("error", (error) =>
      resolve({ code: null, signal: null, run, exitCode, because, errors: messageOf(error) }),
    );
    child.once("close", (code, signal) => resolve({ code, signal, run, exitCode, because, errors: errors.trim() }));
  });
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}

const MAX_ARTIFACTS = 200;

/** Stores the run's receipt, its patch and its artifacts. What is too large stays here and is named. */
async function gather(end: ProcessEnd, { fleet, home, folder, root }: RunPlace): Promise<AttemptEnd> {
  const { run = "", because } = end;
  const exported = join(folder, "receipt.json");
  writeFileSync(exported, exportReceipt(home, run));
  const left: string[] = [];
  const put = async (file: string, name: string): Promise<Blob | null> => {
    const size = sizeOf(file);
    if (size >= 0 && size <= MAX_BLOB_BYTES) return await fleet.putBlob(file);
    left.push(`${name} (${size < 0 ? "missing" : `${size} bytes`})`);
    return null;
  };
  const artifacts: { path: string; blob: Blob }[] = [];
  for (const { path } of findReceipt(home, run).statement.predicate.artifacts) {
    const file = resolve(root, path);
    const blob = isInside(file, root) && artifacts.length < MAX_ARTIFACTS ? await put(file, path) : null;
    if (blob !== null) artifacts.push({ path, blob });
  }
  const patch = join(findRun(home, run).folder, "changes.patch");
  const stored = {
    receipt: await fleet.putBlob(exported),
    patch: sizeOf(patch) > 0 ? await put(patch, "patch") : null,
  };
  const note = left.length === 0 ? "" : `; not stored: ${left.join(", ")}`;
  const why = brief(`${because === "" ? "the run was interrupted" : because}${note}`);
  return { outcome: "ended", exit_code: end.exitCode ?? null, because: why, run, ...stored, artifacts };
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? -1;
