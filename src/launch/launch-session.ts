import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { FoundBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import type { SessionWatch } from "../contract/hook-event.ts";
import type { Usage } from "../contract/receipt.ts";
import { RUN_EXIT } from "../contract/run-exit.ts";
import type { SealFacts, StopReason } from "../contract/seal.ts";
import { policyHash } from "../guard/policy/compiled-policy.ts";
import { secretValues } from "../guard/redact.ts";
import type { Guard, GuardedStart } from "../hooks/install/guarded-start.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { findWorkspace } from "../lib/path/workspace.ts";
import { ENDING_SIGNALS } from "../lib/process/at-exit.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { type CommitWatch, watchCommit } from "../receipts/commit-watch.ts";
import { openCallRecord, type CallRecord } from "../receipts/call-record.ts";
import { openSnapshotSession, type SnapshotSession } from "../snapshots/open-session.ts";
import { knownIdentity } from "./binary-identity.ts";
import type { CheckedEnd, CheckedStop, CheckOrder, LaunchCheck } from "./launch-check.ts";
import { type LaunchEvents, openLaunchEvents } from "./launch-events.ts";
import { checkHint } from "./obvious-check.ts";
import { openTranscriptUsage } from "./transcript-usage.ts";

interface SessionStart {
  readonly agent: Agent;
  readonly binary: FoundBinary;
  /** The id of the launch, which is a UUID. */
  readonly id: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly check?: CheckOrder | undefined;
  readonly strictExit?: boolean | undefined;
  /** Says how work that nobody checked could be. */
  readonly checkHint?: boolean | undefined;
  /** Nobody draws on the terminal, so that what is known at a stop can be told at once. */
  readonly isHeadless: boolean;
  /** A person sits in front of the agent and can be asked. */
  readonly isInteractive: boolean;
  readonly warn: (text: string) => void;
}

/** The session of a guarded launch, from its first hook to its receipt. */
export interface LaunchSession {
  /** For the hooks of the launch. */
  readonly hooks: Required<Pick<GuardedStart, "watch" | "answered">>;
  /** The guard is there and the agent has not started: records what decides the check. */
  readonly open: (guard: Guard, folder: string) => Promise<void>;
  /** Loads what the end needs, while the agent works. */
  readonly load: () => Promise<void>;
  /** The agent has ended: looks at what it changed, beside what else is to be done. */
  readonly look: () => void;
  /** Runs the check if the agent never wanted to stop. */
  readonly finish: (how: SessionEnding) => Promise<void>;
  /** Seals the receipt. Returns the last lines for the person. */
  readonly close: (how: SessionEnding) => Promise<readonly string[]>;
  /** The agent's own, unless a strict check has something to say about one that ended well. */
  readonly exitCode: (how: SessionEnding) => number;
}

export interface SessionEnding {
  readonly exitCode: number;
  /** The agent was stopped by a signal. */
  readonly interrupted: boolean;
  /** The limit at which we stopped it. */
  readonly limit?: string | undefined;
}

/** Watches a session, checks its work, and leaves a sealed receipt of it. */
export function openLaunchSession(start: SessionStart): LaunchSession {
  const { id, cwd, env } = start;
  const startedAt = new Date();
  const record = openCallRecord();
  const look = openLook(record);
  const usage = openTranscriptUsage(startedAt);
  const now: OpenParts = { check: undefined, events: undefined, commits: undefined, doneAt: undefined };
  let result: CheckedEnd | undefined;
  let guard: Guard | undefined;
  let ownSnapshot: SnapshotSession | undefined;
  return {
    hooks: hooksOf(start, { record, look, usage, now }),
    look: look.begin,
    async open(opened, folder) {
      guard = opened;
      const root = findWorkspace(cwd);
      now.events = openEvents(start, { folder, root }, startedAt);
      if (start.check !== undefined) now.check = await openCheck(start.check, start, { opened, folder, root });
      if (opened.snapshot === undefined)
        ownSnapshot = openSnapshotSession({ home: signalboxHome(env), id, agent: start.agent.name, workspace: root });
      // A check takes snapshots of its own.
      if (now.check === undefined) look.open(opened.snapshot ?? ownSnapshot?.ready);
    },
    async load() {
      now.commits = watchCommit(findWorkspace(cwd));
      await import("../receipts/session-receipt.ts");
    },
    async finish({ interrupted }) {
      now.events?.exited();
      using interruption = untilInterrupted();
      result = await now.check?.end(!interrupted && record.count() > 0, interruption.signal);
    },
    async close(how) {
      const ending = record.count() === 0 ? undefined : now.commits?.end();
      await ownSnapshot?.end();
      now.events?.[Symbol.dispose]();
      if (guard === undefined || !guard.heard()) return [];
      const used = usage.end(LOOK_MS);
      const files = result?.files ?? (await look.end());
      const line = result === undefined ? hint(start, how, record) : [result.line];
      const claimed = now.doneAt === record.count();
      const commit = await ending;
      const ended = { start, startedAt, record, how, claimed, result, files, guard, commit, usage: await used };
      return [...line, await sealed(ended)];
    },
    exitCode: ({ exitCode }) => (start.strictExit === true ? strictExit(exitCode, result) : exitCode),
  };
}

/** What is there once the guard is. */
interface OpenParts {
  check: LaunchCheck | undefined;
  events: LaunchEvents | undefined;
  commits: CommitWatch | undefined;
  /** How many calls there were when the agent stopped. */
  doneAt: number | undefined;
}

interface Watching {
  readonly record: CallRecord;
  readonly look: Look;
  readonly usage: ReturnType<typeof openTranscriptUsage>;
  readonly now: OpenParts;
}

function hooksOf(start: SessionStart, { record, look, usage, now }: Watching): LaunchSession["hooks"] {
  const stopping: SessionWatch["stopping"] = async (transcript) => {
    if (transcript !== undefined) usage.read(transcript);
    now.events?.stopping();
    const word = await stopWord(now.check);
    now.events?.stopped(word);
    const { block, tell } = word;
    if (block === undefined) now.doneAt = record.count();
    look.begin();
    if (tell === undefined || !start.isHeadless) return { block, tell: tell && `signalbox: ${tell}` };
    start.warn(tell);
    return { block };
  };
  return {
    watch: {
      checksStops: start.check !== undefined,
      stopping,
      prompted(prompt) {
        record.prompted(prompt);
        now.events?.prompted();
        now.check?.prompted();
      },
      began: (call) => now.check?.began(call),
      ended(call, event) {
        now.events?.ended(event);
        now.check?.ended(call);
      },
    },
    answered(call, answer) {
      record.answered(call, answer);
      now.events?.answered(call, answer);
    },
  };
}

const strictExit = (exitCode: number, result: CheckedEnd | undefined) =>
  exitCode === 0 && result !== undefined ? STRICT_EXIT[result.verified] : exitCode;

/** For the board. */
function openEvents(
  { id, agent, isInteractive, env }: SessionStart,
  { folder, root }: { readonly folder: string; readonly root: string },
  startedAt: Date,
): LaunchEvents {
  const header = { id, agent: agent.name, folder: root, started: startedAt.getTime(), interactive: isInteractive };
  return openLaunchEvents(folder, header, secretValues(env));
}

/** For work that ended by itself and could have been checked. */
function hint({ checkHint: wanted, env, cwd, agent }: SessionStart, how: SessionEnding, record: CallRecord) {
  if (wanted !== true || how.interrupted || record.count() === 0) return [];
  const line = checkHint(signalboxHome(env), findWorkspace(cwd), agent.name);
  return line === undefined ? [] : [line];
}

interface CheckStart {
  readonly opened: Guard;
  readonly folder: string;
  readonly root: string;
}

async function openCheck(order: CheckOrder, { env, cwd, warn }: SessionStart, { opened, folder, root }: CheckStart) {
  const { openLaunchCheck } = await import("./launch-check.ts");
  const isContained = opened.containment?.().contained === true;
  const home = signalboxHome(env);
  const commands = order.commands.map((command) => commandIn(relative(root, realpathSync(cwd)), command));
  const here = { ...order, commands };
  return await openLaunchCheck(here, {
    root,
    folder,
    home,
    policy: opened.policy,
    isContained,
    environment: env,
    warn,
  });
}

/** The whole repository is compared, but the check runs where the agent was started. */
function commandIn(folder: string, command: string): string {
  if (folder === "") return command;
  return /[;&|\n]/.test(command) ? `cd ${shQuote(folder)} || exit; ${command}` : `cd ${shQuote(folder)} && ${command}`;
}

/** A check that cannot be run keeps nobody from stopping. */
async function stopWord(check: LaunchCheck | undefined): Promise<CheckedStop> {
  try {
    return (await check?.stopping()) ?? {};
  } catch (error) {
    return { tell: `NOT CHECKED: ${messageOf(error)}` };
  }
}

/** What a session has changed, found out while nobody waits for it. */
interface Look {
  readonly open: (snapshot: SnapshotSession["ready"] | undefined) => void;
  /** Looks now, unless nothing was called since the last time. */
  readonly begin: () => void;
  readonly end: () => Promise<readonly string[] | undefined>;
}

/** How long the end of a launch waits for it. */
const LOOK_MS = 20;

function openLook(record: CallRecord): Look {
  let snapshot: SnapshotSession["ready"] | undefined;
  let files: Promise<readonly string[] | undefined> | undefined;
  let abort = new AbortController();
  let calls = -1;
  return {
    open: (ready) => void (snapshot = ready),
    begin() {
      if (snapshot === undefined || calls === record.count()) return;
      abort.abort();
      abort = new AbortController();
      calls = record.count();
      files = filesSince(snapshot, abort.signal);
    },
    async end() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), LOOK_MS)));
      try {
        return await Promise.race([files, late]);
      } finally {
        clearTimeout(timer);
        abort.abort();
      }
    },
  };
}

/** Undefined where no snapshot was taken, and where git cannot tell. */
async function filesSince(
  ready: SnapshotSession["ready"],
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const state = await ready;
    if (state.state === "unknown") return undefined;
    const { presentChanges } = await import("../snapshots/present-changes.ts");
    const { store, snapshot } = state.taken;
    return await presentChanges(store, snapshot, signal);
  } catch {
    return undefined;
  }
}

interface ToSeal {
  readonly start: SessionStart;
  readonly startedAt: Date;
  readonly record: CallRecord;
  readonly how: SessionEnding;
  readonly claimed: boolean;
  readonly result: CheckedEnd | undefined;
  readonly files: readonly string[] | undefined;
  readonly guard: Guard;
  readonly usage: Usage | undefined;
  readonly commit: string | undefined;
}

/** The last line of the session. */
async function sealed(ended: ToSeal): Promise<string> {
  try {
    await seal(ended);
    const { sessionLine } = await import("../receipts/session-receipt.ts");
    return sessionLine(ended.record, ended.files, ended.start.id);
  } catch (error) {
    return `no receipt was stored: ${messageOf(error)}`;
  }
}

async function seal({ start, how, result, guard, ...rest }: ToSeal): Promise<void> {
  const { agent, binary, id, version, env } = start;
  const { exitCode, interrupted, limit } = how;
  const ended: StopReason = interrupted ? "interrupted" : exitCode === 0 ? "answered" : "failed";
  const stopped: StopReason = limit === undefined ? ended : "limit";
  const because = limit ?? (stopped === "failed" ? `the agent exited ${exitCode}` : "");
  const { sealSession } = await import("../receipts/session-receipt.ts");
  const policy = policyHash({ ...guard.policy, hash: undefined });
  const home = signalboxHome(env);
  const known = knownIdentity(agent, binary, join(home, "cache"));
  const facts = { held: true, policyHash: policy, containment: guard.containment?.(), check: result };
  const session = {
    ...rest,
    ...facts,
    id,
    root: findWorkspace(start.cwd),
    agent: agent.name,
    agentVersion: known?.version ?? null,
    binarySha256: known?.sha256 ?? null,
    version,
    stopped,
    because,
    auditHead: rest.record.auditHead(),
  };
  sealSession(home, session, { values: secretValues(env) });
}

const STRICT_EXIT: Readonly<Record<SealFacts["verified"], number>> = {
  accepted: RUN_EXIT.done,
  changed_check: RUN_EXIT.changedCheck,
  refused: RUN_EXIT.notAccepted,
  stale: RUN_EXIT.notAccepted,
  not_checked: RUN_EXIT.notAccepted,
};

/** Aborted when the person interrupts what is done after the agent has ended. */
function untilInterrupted(): Disposable & { readonly signal: AbortSignal } {
  const abort = new AbortController();
  const onSignal = () => abort.abort();
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  return {
    signal: abort.signal,
    [Symbol.dispose]() {
      for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    },
  };
}
