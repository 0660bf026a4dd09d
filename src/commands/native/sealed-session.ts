import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { Permit } from "../../contract/tool.ts";
import { addUsage, NO_USAGE, type Usage } from "../../contract/receipt.ts";
import type { Acceptance, StopReason } from "../../contract/seal.ts";
import { SessionRecord } from "../../contract/session-record.ts";
import { changedCheckIn, readGateReason } from "../../contract/gate-reason.ts";
import { policyHash } from "../../guard/policy/compiled-policy.ts";
import { secretValues } from "../../guard/redact.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { findSession, logPath, sessionsFolder } from "../../native/log/log-folder.ts";
import { nativeOpener, type NativeSession, type OpenNative } from "../../native/session.ts";
import type { NativeSettings } from "../../native/settings/session-settings.ts";
import { type CommitWatch, watchCommit } from "../../receipts/commit-watch.ts";
import { type CallRecord, openCallRecord } from "../../receipts/call-record.ts";
import { workOfSession } from "../../receipts/seal/find-receipt.ts";
import { type EndedSession, sealSession, sessionLine } from "../../receipts/session-receipt.ts";

/**
 * Opens conversations that leave a sealed receipt when they end, and tell its line. One that was resumed leaves another.
 */
export function sealedOpener(settings: NativeSettings, tell: (line: string) => void = () => {}): OpenNative {
  return async (place) => {
    const startedAt = new Date();
    const record = openCallRecord();
    const { guardAlso = (permit: Permit) => permit } = settings;
    const open = nativeOpener({
      ...settings,
      guardAlso: (permit, containment) => recorded(guardAlso(permit, containment), record),
    });
    const { home } = settings;
    const folder = sessionsFolder(home);
    const resumed = place.resume === undefined ? undefined : findSession(folder, place.resume, place.cwd);
    const commits = watchCommit(place.cwd);
    const from = resumed === undefined ? 0 : sizeOf(logPath(folder, resumed));
    const session = await open(place);
    return {
      ...session,
      async [Symbol.asyncDispose]() {
        await session[Symbol.asyncDispose]();
        try {
          const log = recordsIn(logPath(folder, session.conversation.id), from);
          const line = await sealConversation(session, { settings, startedAt, record, log, commits });
          if (line !== undefined) tell(line);
        } catch (error) {
          settings.warn(`no receipt was stored: ${messageOf(error)}`);
        }
      },
    };
  };
}

const recorded =
  (permit: Permit, record: CallRecord): Permit =>
  async (call, signal) => {
    const permission = await permit(call, signal);
    const [verdict, because] =
      permission.verdict === "allow" ? (["allow", ""] as const) : (["deny", permission.because] as const);
    record.answered({ tool: call.name, input: call.input, id: call.id }, { verdict, because });
    return permission;
  };

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** What this start has added to a log. Its checksums are checked by whoever resumes it. */
function recordsIn(path: string, from: number): readonly SessionRecord[] {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - from));
    readSync(file, bytes, 0, bytes.length, from);
    return bytes
      .toString("utf8")
      .split("\n")
      .filter((line) => !NOT_NEEDED.test(line))
      .flatMap((line) => SessionRecord.safeParse(line === "" ? undefined : parseJson(line)).data ?? []);
  } finally {
    closeSync(file);
  }
}

/** The long ones, which say nothing that a receipt tells. */
const NOT_NEEDED = /^\{"at":\d+,"type":"(?:call-end|history|context)"/;

interface ToSeal {
  readonly settings: NativeSettings;
  readonly startedAt: Date;
  readonly record: CallRecord;
  readonly log: readonly SessionRecord[];
  readonly commits: CommitWatch;
}

/** Nothing is sealed if the model was never asked. */
async function sealConversation(
  { conversation, workspace, containment, left }: NativeSession,
  { settings, startedAt, record, log, commits }: ToSeal,
): Promise<string | undefined> {
  const { home, version, environment, check } = settings;
  const rest = log.findLast((each) => each.type === "rest");
  if (!log.some((each) => each.type === "usage" || each.type === "rest")) return undefined;
  const first = log.find((each) => each.type === "queued" && each.message.source === "person");
  if (first?.type === "queued") record.prompted(first.message.text);
  const { reason = "aborted", because = "" } = rest ?? {};
  const command = check.command ?? log.find((each) => each.type === "session")?.accept;
  const policy = policyHash({ ...settings.policyFor(workspace), hash: undefined });
  const session: EndedSession = {
    id: randomUUID(),
    workId: workOfSession(conversation.id),
    agent: "native",
    root: workspace,
    agentVersion: version,
    binarySha256: null,
    version,
    startedAt,
    record,
    stopped: STOPPED[reason] ?? "failed",
    because: STOPPED[reason] === "answered" ? "" : because,
    claimed: STOPPED[reason] === "answered",
    check: command === undefined ? undefined : checkOf(command, log),
    files: record.count() === 0 ? [] : await left.changes().catch(() => undefined),
    usage: usageOf(log),
    commit: record.count() === 0 ? undefined : await commits.end(),
    held: true,
    policyHash: policy,
    containment: containment(),
    auditHead: left.auditHead(),
  };
  sealSession(home, session, { values: secretValues(environment) });
  return sessionLine(record, session.files, session.id);
}

const STOPPED: Readonly<Record<string, StopReason>> = {
  answered: "answered",
  "gate-gave-up": "answered",
  aborted: "interrupted",
  limit: "limit",
  "no-progress": "no_progress",
  rejected: "denied",
  refused: "failed",
  failed: "failed",
};

/** What the acceptance gate found, the last of it as the verdict. */
function checkOf(command: string, log: readonly SessionRecord[]): EndedSession["check"] {
  const gates = log.filter((each) => each.type === "gate").filter(({ gate }) => gate === "acceptance");
  const acceptance = gates.map(({ word, reason }, at): Acceptance => {
    // A changed check passed with the agent's files: the other run is told in the reason.
    const isChanged = changedCheckIn(readGateReason(reason).verdict) !== undefined;
    const code = isChanged ? "0" : /exit(?:ed|s)?(?: with)?(?: code)? (\d{1,9})\b/.exec(reason)?.[1];
    const round = gates.length > 1 ? { round: at + 1 } : {};
    return {
      command,
      exit_code: word === "passed" ? 0 : code === undefined ? null : Number(code),
      ...(word !== "passed" && / took longer than \d+/.test(readGateReason(reason).verdict) ? { timed_out: true } : {}),
      tree: null,
      ...round,
    };
  });
  const last = gates.at(-1);
  if (last === undefined) return undefined;
  const changed = changedCheckIn(readGateReason(last.reason).verdict) !== undefined;
  const wentOn = log.slice(log.indexOf(last)).some(({ type }) => type === "call-start");
  const passed = wentOn ? "stale" : "accepted";
  const verified = last.word === "passed" ? passed : changed ? "changed_check" : "refused";
  return { verified, acceptance, tree: null };
}

function usageOf(log: readonly SessionRecord[]): Usage {
  return log
    .filter((each) => each.type === "usage")
    .map(({ usage, cost }) => ({
      ...NO_USAGE,
      ...(usage === undefined
        ? {}
        : {
            input_tokens: usage.input,
            output_tokens: usage.output,
            cache_read_tokens: usage.cacheRead,
            cache_write_tokens: usage.cacheWrite,
          }),
      estimated_cost_usd: cost ?? null,
    }))
    .reduce(addUsage, NO_USAGE);
}
