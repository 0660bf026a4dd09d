import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import type { LaunchHeader } from "../../src/contract/board-entry.ts";
import type { SealFacts } from "../../src/contract/seal.ts";
import type { SessionRecord } from "../../src/contract/session-record.ts";
import { type LaunchEvents, openLaunchEvents } from "../../src/launch/launch-events.ts";
import { openLaunchFolder } from "../../src/launch/run-folder.ts";
import { newSession } from "../../src/native/log/session-log.ts";
import { openCallRecord } from "../../src/receipts/call-record.ts";
import { createRunLog, type RunLog } from "../../src/receipts/run/run-log.ts";
import { workOfSession } from "../../src/receipts/seal/find-receipt.ts";
import { sealSession } from "../../src/receipts/session-receipt.ts";
import { tempFolder } from "./temp-folder.ts";

/** A launch whose signalbox is this process, with what its hooks report. Its folder. */
export function aLaunch(
  home: string,
  report: (events: LaunchEvents) => void = () => {},
  header: Partial<LaunchHeader> = {},
): string {
  const launch = openLaunchFolder(home, join(tempFolder(), `${randomUUID()}.1`));
  const start = { id: "l", agent: "claude", folder: "/w", started: Date.now(), interactive: true, ...header };
  const events = openLaunchEvents(launch.folder, start, []);
  report(events);
  onTestFinished(() => {
    events[Symbol.dispose]();
    launch[Symbol.dispose]();
  });
  return launch.folder;
}

const OWNER = pathToFileURL(join(import.meta.dirname, "../../src/lib/process/folder-owner.ts")).href;

/** Gives a folder an owner that was killed. */
export function killOwner(folder: string): void {
  const program = `const { ownFolder } = await import(${JSON.stringify(OWNER)});
    ownFolder(${JSON.stringify(folder)}); process.kill(process.pid, "SIGKILL");`;
  spawnSync(process.execPath, ["--input-type=module", "-e", program]);
}

/** An owner whom nobody can see from here. */
export function ownElsewhere(folder: string): void {
  const owner = { pid: 1, started: "1", host: "another machine", boot: "b", space: "s", hostname: "h", lock: "" };
  writeFileSync(join(folder, "owner.json"), JSON.stringify(owner));
}

/** A run whose signalbox is this process. */
export function aRun(home: string, id: string = randomUUID()): RunLog {
  const header = { run_id: id, work_order_id: randomUUID(), task: "fix it", agent: "codex", root: "/w" };
  const owner = { pid: process.pid, started: "1" };
  return createRunLog(home, { ...header, mode: "pass_through", started_at: new Date().toISOString(), owner });
}

export const runEnd = (code: number) => ({
  outcome: "partial" as const,
  exit_code: code,
  because: "",
  finished_at: new Date().toISOString(),
  receipt_sha256: "",
  applied_at: null,
});

/** A conversation of native with these records; `isOpen` leaves it open in this process. Its id. */
export function aConversation(home: string, records: readonly SessionRecord[], isOpen: boolean): string {
  const session = newSession(home, { cwd: "/w", model: "m" });
  for (const record of records) session.append(record);
  if (isOpen) onTestFinished(() => session[Symbol.dispose]());
  else session[Symbol.dispose]();
  return session.id;
}

export const prompt: SessionRecord = {
  type: "queued",
  promptId: "p",
  first: false,
  message: { role: "user", source: "person", text: "fix it" },
};

/** An answer of the model with these calls, by their ids. */
export const calls = (...ids: readonly string[]): SessionRecord => ({
  type: "message",
  message: {
    role: "assistant",
    stop: "calls",
    parts: ids.map((id) => ({ type: "call", id, name: "bash", input: { command: `run ${id}` } })),
  },
});

export const begun = (callId: string): SessionRecord => ({ type: "call-start", callId });

export const done = (callId: string): SessionRecord => ({
  type: "call-end",
  result: { callId, name: "bash", text: "", failed: false },
});

export const rest = (reason: string): SessionRecord => ({ type: "rest", reason, because: "" });

interface Sealed extends Partial<Pick<SealFacts, "verified" | "stopped">> {
  readonly id?: string;
  /** The conversation that it is of. */
  readonly session?: string;
}

/** A sealed receipt of a session or run. */
export function aReceipt(home: string, { id = randomUUID(), session, verified, stopped = "answered" }: Sealed): string {
  const record = openCallRecord();
  record.prompted("fix it");
  record.answered({ tool: "Bash", input: { command: "ls" } }, { verdict: "allow", because: "" });
  const check = verified === undefined ? {} : { check: { verified, tree: null, acceptance: [] } };
  const facts = { held: true, policyHash: null, containment: undefined, because: "", claimed: stopped === "answered" };
  const work = session === undefined ? {} : { workId: workOfSession(session) };
  const start = {
    agent: "claude",
    agentVersion: null,
    binarySha256: null,
    auditHead: null,
    version: "1",
    root: "/w",
    startedAt: new Date(),
    files: [],
  };
  sealSession(home, { id, ...work, ...start, ...facts, ...check, record, stopped }, {});
  return id;
}
