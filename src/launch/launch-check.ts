import { randomUUID } from "node:crypto";
import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { acceptanceReason, changedCheckReason } from "../contract/gate-reason.ts";
import type { StopAnswer, SessionWatch } from "../contract/hook-event.ts";
import type { Policy } from "../contract/policy.ts";
import type { Acceptance, BaseCheck, SealFacts } from "../contract/seal.ts";
import { redact, secretValues } from "../guard/redact.ts";
import { messageOf, UserError } from "../lib/text/user-error.ts";
import { acceptWork, type WorkCheck } from "../receipts/acceptance/accept-work.ts";
import { compareNow } from "../receipts/acceptance/check-with-base.ts";
import { recordBase } from "../receipts/acceptance/record-base.ts";
import type { Processes } from "../receipts/run/run-setup.ts";
import { compareSnapshots } from "../snapshots/changes.ts";
import { openActivity } from "../snapshots/recovery.ts";
import { openSnapshots, type Snapshot } from "../snapshots/snapshot.ts";
import { failureSummary } from "./failure-summary.ts";

/** What a launch checks when its agent wants to stop, and how often a failed check goes back to the agent. */
export interface CheckOrder {
  readonly commands: readonly string[];
  /** 0: the result is only told. */
  readonly rounds: number;
  /** Patterns of more files that decide the check, and of files that the agent may change. */
  readonly keep: readonly string[];
  readonly changed: readonly string[];
  readonly timeoutMs: number;
  readonly runCheck: Processes["runCheck"];
}

interface CheckPlace {
  readonly root: string;
  /** A private folder that the agent cannot write. */
  readonly folder: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly policy: Policy;
  /** The agent's commands run in a sandbox, so the check must too. */
  readonly isContained: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly warn: (text: string) => void;
}

/** What is known when a launch ends. */
export interface CheckedEnd {
  /** One line for the person. */
  readonly line: string;
  readonly verified: SealFacts["verified"];
  readonly acceptance: readonly Acceptance[];
  readonly tree: string | null;
  /** What the session changed, as lines of `git status`. */
  readonly files: readonly string[];
}

/** The check of a launch. It runs outside of the agent's reach and says what it found. */
export interface LaunchCheck extends Pick<SessionWatch, "began"> {
  readonly ended: (call: string) => void;
  /** `verified`: what the check found; undefined if a new prompt ended it. */
  readonly stopping: () => Promise<CheckedStop>;
  /** A person's prompt begins new rounds, and ends a check that is still running. */
  readonly prompted: () => void;
  /** The last result, and whether it still holds. `canRun`: the agent ended by itself, so the check may run now. */
  readonly end: (canRun: boolean, signal: AbortSignal) => Promise<CheckedEnd>;
}

/** What the agent and its person are told at a stop. */
export interface CheckedStop extends StopAnswer {
  readonly verified?: SealFacts["verified"] | undefined;
}

/** One run of the checks. */
interface Found {
  readonly checked: WorkCheck;
  readonly line: string;
  /** What the agent is told, if it can do something about it. */
  readonly reason: string | undefined;
  readonly snapshot: Snapshot;
  /** What decides the checks and is not as it was. */
  readonly deciding: string;
  /** How many calls of the agent had ended. */
  readonly calls: number;
}

/** Kept in the seal of a long session. */
const MAX_ATTEMPTS = 20;

/** An agent waits for an hour; see `hookSeconds`. */
const MAX_STOP_MS = 55 * 60 * 1000;

/** Records what decides the check, and the workspace, before the agent starts. */
export async function openLaunchCheck(order: CheckOrder, place: CheckPlace): Promise<LaunchCheck> {
  const { commands, keep, rounds } = order;
  const { root, folder, environment } = place;
  const plan = { root, commands, keep, path: environment["PATH"] ?? "" };
  const kept = await recordBase(plan, join(folder, "check-base"));
  kept.warnings.forEach((warning) => place.warn(warning));
  const store = openSnapshots(root, join(folder, "check-tree"));
  const before = await store.take().catch((cause: unknown) => {
    const fix = "make every file of the workspace readable, or start without --accept";
    throw new UserError(`the workspace cannot be recorded: ${messageOf(cause)}`, { where: root, fix, cause });
  });
  const activity = openActivity();
  let calls = 0;
  const parts: RunningParts = { order, place, kept, store, wroteAt: activity.wroteAt, calls: () => calls };
  const runs = openRuns(parts);
  let sentBack = 0;
  return {
    began: activity.began,
    ended(call) {
      calls++;
      activity.ended(call);
    },
    prompted() {
      sentBack = 0;
      runs.abort();
    },
    async stopping(): Promise<CheckedStop> {
      const found = await runs.check();
      if (found === undefined) return {};
      const { verified } = found.checked;
      if (found.reason === undefined || sentBack >= rounds)
        return { tell: found.line + timesText(found, sentBack), verified };
      sentBack++;
      return {
        block: found.reason,
        tell: `${found.line} (sent back to the agent, ${sentBack} of ${rounds})`,
        verified,
      };
    },
    async end(canRun, signal) {
      runs.abort();
      signal.addEventListener("abort", runs.abort);
      const take = () => store.take().catch(() => undefined);
      const last = runs.last();
      const isOpen = last === undefined || (last.calls !== calls && (await take())?.digest === last.snapshot.digest);
      if (isOpen && canRun && !signal.aborted) await runs.check();
      const now = await take();
      const files = now === undefined ? [] : await changesOf(parts, before, now);
      const result = await resultOf(runs.last(), now, parts);
      return { ...result, acceptance: runs.attempts(), tree: now?.digest ?? null, files };
    },
  };
}

/** The runs of the checks, one at a time. */
function openRuns(parts: RunningParts) {
  const attempts: (readonly Acceptance[])[] = [];
  let last: Found | undefined;
  let running: { readonly found: Promise<Found | undefined>; readonly abort: AbortController } | undefined;
  return {
    last: () => last,
    abort: () => running?.abort.abort(),
    attempts: (): readonly Acceptance[] =>
      attempts
        .slice(-MAX_ATTEMPTS)
        .flatMap((attempt, at) => attempt.map((each) => (attempts.length > 1 ? { ...each, round: at + 1 } : each))),
    /** Joins a run that is not over. What was accepted and has not changed since is not run again. */
    async check(): Promise<Found | undefined> {
      if (running !== undefined) return await running.found;
      const abort = new AbortController();
      const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(MAX_STOP_MS)]);
      const found = isStillGreen(last, parts, signal).then((still) => (still ? last : runChecks(parts, signal)));
      running = { found, abort };
      try {
        const now = await found;
        if (now === undefined || now === last) return now;
        attempts.push(now.checked.acceptance);
        return (last = now);
      } finally {
        running = undefined;
      }
    },
  };
}

interface RunningParts {
  readonly order: CheckOrder;
  readonly place: CheckPlace;
  readonly kept: Awaited<ReturnType<typeof recordBase>>;
  readonly store: ReturnType<typeof openSnapshots>;
  readonly wroteAt: (nanoseconds: bigint) => boolean;
  readonly calls: () => number;
}

const timesText = ({ reason }: Found, sentBack: number) =>
  reason === undefined || sentBack === 0 ? "" : ` (sent back ${sentBack === 1 ? "once" : `${sentBack} times`})`;

/** A call can also have changed what git ignores, which no digest shows. */
async function isStillGreen(last: Found | undefined, parts: RunningParts, signal: AbortSignal): Promise<boolean> {
  if (last?.checked.verified !== "accepted" || last.calls !== parts.calls()) return false;
  const { digest } = await parts.store.take();
  return digest === last.checked.tree && (await decidingNow(parts, signal)) === last.deciding;
}

/** What git ignores is not in the digest, and may decide a check all the same. */
async function decidingNow({ kept, order: { changed: allowed } }: RunningParts, signal: AbortSignal): Promise<string> {
  return JSON.stringify(await compareNow({ kept, allowed, signal }));
}

async function runChecks(parts: RunningParts, signal: AbortSignal): Promise<Found | undefined> {
  const { order, place, kept, store } = parts;
  const { root, environment } = place;
  const started = performance.now();
  const calls = parts.calls();
  const id = randomUUID();
  const sandbox = sandboxOf(place);
  const runCheck = (command: string, cwd = root) =>
    order.runCheck({ sandbox, runId: id, command, cwd, timeoutMs: order.timeoutMs, signal });
  const base = { kept, allowed: order.changed, id, environment, signal };
  let snapshot: Snapshot | undefined;
  const take = async () => (snapshot = await store.take());
  const checked = await acceptWork(order.commands, { store: { take }, runCheck, base });
  if (signal.aborted || snapshot === undefined) return undefined;
  const deciding = checked.verified === "accepted" ? await decidingNow(parts, signal) : "";
  return { checked, snapshot, deciding, calls, ...wordsOf(checked, performance.now() - started, parts) };
}

function sandboxOf({ policy, home, isContained }: CheckPlace) {
  return policy.sandbox === "off" ? undefined : { policy, home, isRequired: policy.sandbox !== "auto" || isContained };
}

/** The line for the person, and what the agent is told. */
function wordsOf(checked: WorkCheck, ms: number, parts: RunningParts): Pick<Found, "line" | "reason"> {
  const commands = shownCommands(parts);
  const [first = "", ...rest] = withoutSecrets(checked.because ?? "", parts).split("\n");
  const output = rest.join("\n").slice(-MAX_OUTPUT);
  const failed = checked.acceptance.findLast(({ exit_code: code, base }) => code !== 0 || base !== undefined);
  const command = failed === undefined ? (commands[0] ?? "") : withoutSecrets(failed.command, parts);
  switch (checked.verified) {
    case "accepted":
      return {
        line: `VERIFIED ${commands.join(", ")} (${secondsText(ms)}, at ${checked.tree?.slice(0, 6) ?? "?"})`,
        reason: undefined,
      };
    case "stale":
      return { line: `STALE: the workspace changed while ${commands.join(", ")} ran`, reason: undefined };
    case "changed_check":
      return changedWords({ command, facts: failed?.base, first, output }, parts);
    default: {
      const how = first.replace(`'${command}' `, "");
      const reason = acceptanceReason(`the acceptance check \`${command}\` ${how}`, output);
      return { line: `FAILED ${command}: ${failureSummary(output) ?? how}`, reason };
    }
  }
}

const MAX_OUTPUT = 3000;

const shownCommands = (parts: RunningParts) => parts.order.commands.map((command) => withoutSecrets(command, parts));

/** The check may see more of the environment than the agent does. */
const withoutSecrets = (text: string, { place }: RunningParts) =>
  redact(text, { values: secretValues(place.environment) }).text;

interface ChangedCheck {
  readonly command: string;
  readonly facts: BaseCheck | undefined;
  readonly first: string;
  readonly output: string;
}

const MAX_NAMED = 5;

/** Only what changed while a call ran is the agent's doing. The rest was somebody else, such as its person. */
function changedWords({ command, facts, first, output }: ChangedCheck, parts: RunningParts) {
  const changed = facts?.changed ?? [];
  if (facts === undefined || changed.length === 0) return { line: `NOT VERIFIED: ${first}`, reason: undefined };
  const byAgent = changed.some(({ path }) => isByCall(path, parts));
  const named = changed.map(({ path, how }) => (how === "edited" ? path : `${path}, ${how}`));
  const who = byAgent ? "the agent edited the check" : "the check was edited while no call of the agent ran";
  const reason = byAgent ? changedCheckReason(command, facts, output) : undefined;
  const fix = byAgent ? "" : "; if you did, start with --accept-changed to count it";
  return { line: `CHANGED: ${who} (${listed(named)})${fix}`, reason };
}

function isByCall(path: string, { place, wroteAt }: RunningParts): boolean {
  const file = resolve(place.root, path);
  const stat = [file, dirname(file)]
    .map((each) => lstatSync(each, { bigint: true, throwIfNoEntry: false }))
    .find((each) => each !== undefined);
  return stat === undefined || wroteAt(stat.ctimeNs);
}

const listed = (names: readonly string[]) =>
  names.length <= MAX_NAMED
    ? names.join("; ")
    : `${names.slice(0, MAX_NAMED).join("; ")} and ${names.length - MAX_NAMED} more`;

/** The last result as it is at the end, when nothing runs any more. */
async function resultOf(
  last: Found | undefined,
  now: Snapshot | undefined,
  parts: RunningParts,
): Promise<Pick<CheckedEnd, "line" | "verified">> {
  if (last === undefined)
    return { line: `NOT CHECKED: ${shownCommands(parts).join(", ")} did not run`, verified: "not_checked" };
  const { line, checked, snapshot } = last;
  const { verified } = checked;
  if (now === undefined || now.digest === snapshot.digest) return { line, verified };
  const names = (await changesOf(parts, snapshot, now)).map((status) => status.slice(3));
  const by = names.some((name) => isByCall(name, parts)) ? "" : ", not by a call of the agent";
  const since = `${names.length} ${names.length === 1 ? "file" : "files"} changed after`;
  if (verified !== "accepted") return { line: `${line}; ${since} that run${by}`, verified };
  return { line: `STALE: ${since} the last green run${by} (${listed(names)})`, verified: "stale" };
}

async function changesOf({ store }: RunningParts, from: Snapshot, to: Snapshot): Promise<readonly string[]> {
  const { status } = await compareSnapshots(store, from, to);
  return status.split("\n").filter((line) => line !== "");
}

function secondsText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 60 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
