import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { appendAnchor } from "../guard/audit/anchor.ts";
import { type AuditSegment, openSegment } from "../guard/audit/write-audit.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { ENDING_SIGNALS } from "../lib/process/at-exit.ts";
import { startTime } from "../lib/process/process-table.ts";
import { randomId } from "../lib/files/random-id.ts";
import { livePolicy } from "./live-policy.ts";
import { openHookServer } from "./server.ts";
import { addressText, serversFolder } from "./server-protocol.ts";
import { answerStaged } from "./staged-call.ts";

/** A session that signalbox did not launch. */
export interface StagedSession {
  readonly agent: string;
  /** The agent and the session id; each pair has its own server. */
  readonly key: string;
  /** The ancestor processes of a hook, nearest first. */
  readonly callers: readonly number[];
  /** The user's signalbox folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface StagedLimits {
  readonly lookMs: number;
  readonly idleMs: number;
}

const LIMITS: StagedLimits = { lookMs: 1000, idleMs: 15 * 60_000 };
const OLD_MS = 24 * 3_600_000;

/**
 * Answers the staged wrappers of one session, so that its calls don't have to start Node. Settles when the session or the
 * agent has ended, or after an idle period; later calls then start a new server.
 */
export async function serveStaged(session: StagedSession, limits: StagedLimits = LIMITS): Promise<void> {
  const { agent, key, home, env } = session;
  const folder = serversFolder(home);
  const file = join(folder, key);
  const watched = agentAmong(session.callers);
  const [token, seal] = [randomId(), randomId()];
  let segment: AuditSegment | undefined;
  const log = () => (segment ??= openSegment(home, { now: realMachine.now, anchor: appendAnchor }));
  const parts = { policies: livePolicy(home), log, agent: watched?.pid };
  const over = Promise.withResolvers<void>();
  let [lastCall, answering] = [performance.now(), 0];
  for (const signal of ENDING_SIGNALS) process.once(signal, () => over.resolve());
  using server = await openHookServer({
    socket: undefined,
    token,
    seal,
    async answer({ event, text, remembered = [] }) {
      lastCall = performance.now();
      answering++;
      try {
        return await answerStaged({ agent, event, remembered, text }, env, parts);
      } finally {
        answering--;
        // Only after the answer: a caller that gets none asks elsewhere, and the session's hooks would run twice.
        if (event === "session-end") setTimeout(over.resolve, 100);
      }
    },
  });
  atomicWrite(file, addressText({ port: server.port, token, seal, agent }));
  rmSync(`${file}.starting`, { force: true });
  removeOld(folder);
  const look = setInterval(() => {
    if (answering > 0) return;
    const gone = watched === undefined || startTime(watched.pid) !== watched.started;
    const replaced = !textOf(file).includes(token);
    if (gone || replaced || performance.now() - lastCall > limits.idleMs) over.resolve();
  }, limits.lookMs);
  await over.promise;
  clearInterval(look);
  segment?.[Symbol.dispose]();
  // Another server may have replaced this one.
  if (textOf(file).includes(token)) rmSync(file, { force: true });
}

const SHELLS = new Set(["sh", "dash", "bash", "zsh", "ash", "ksh", "busybox", "timeout", "env"]);

interface Watched {
  readonly pid: number;
  readonly started: string;
}

/** The agent: the first caller that is not a shell. Checks the executable, because a script can have any name. */
function agentAmong(callers: readonly number[]): Watched | undefined {
  for (const pid of callers) {
    const program = programOf(pid);
    const started = startTime(pid);
    if (program !== undefined && started !== undefined && !SHELLS.has(program)) return { pid, started };
  }
  return undefined;
}

function programOf(pid: number): string | undefined {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Removes the files of sessions that ended without a session-end event. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > OLD_MS) rmSync(path, { force: true });
  }
}
