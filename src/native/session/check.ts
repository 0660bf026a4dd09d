import { join } from "node:path";
import { changedCheckReason } from "../../contract/gate-reason.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { type KeptBase, savedBase } from "../../receipts/acceptance/check-base.ts";
import { checkWithBase, compareNow } from "../../receipts/acceptance/check-with-base.ts";
import { recordBase } from "../../receipts/acceptance/record-base.ts";
import type { CommandRunner } from "../../sandbox/run/command-runner.ts";
import { acceptanceGate, type CheckOutcome, type Gate, type RunCheck } from "../engine/gates.ts";
import type { AcceptanceCheck } from "../settings/session-settings.ts";
import { showOutput } from "../tools/bash.ts";
import { commandsIn, type Workplace } from "../tools/workplace.ts";

/** The user's check, ready to be asked. */
export interface OpenCheck extends AsyncDisposable {
  readonly gate: Gate;
}

/**
 * Opens the session's check, which the agent cannot change: a check that passes is run again with the files that decide
 * it as they were when the session began, if they were changed. What they were is kept with the session.
 */
export async function openCheck(
  check: AcceptanceCheck,
  workplace: Workplace,
  warn: (text: string) => void,
  signal: AbortSignal,
): Promise<OpenCheck> {
  const { sessionId: id, policy, environment, containment } = workplace;
  const { timeoutMs, changed: allowed } = check;
  const kept = await sessionBase(check, workplace, warn, signal);
  const runner = commandsIn(workplace);
  const run: RunCheck = async (command, stop) => {
    const first = await compareNow({ kept, allowed, signal: stop });
    const outcome = await runCheck(runner, { command, folder: policy.workspaceRoot }, timeoutMs, stop);
    if (outcome.exitCode !== 0 || outcome.timedOut) return outcome;
    const verdict = await checkWithBase([command], first, {
      kept,
      allowed,
      id,
      environment,
      signal: stop,
      async run(again, folder) {
        // Only that command may write to the copy.
        await containment.place(again, { needs: [copyNeed(folder)] });
        const { exitCode, output, timedOut } = await runCheck(runner, { command: again, folder }, timeoutMs, stop);
        return { code: timedOut ? null : exitCode, output };
      },
    });
    if (verdict === undefined || verdict.isAccepted) return outcome;
    return { ...outcome, changedCheck: changedCheckReason(command, verdict.facts, verdict.output) };
  };
  return { gate: acceptanceGate(check.command, run), [Symbol.asyncDispose]: () => runner.close() };
}

/** A resumed session compares with what was there when it first got this check. */
async function sessionBase(
  { command, keep }: AcceptanceCheck,
  { policy, environment, privateFolder }: Workplace,
  warn: (text: string) => void,
  signal: AbortSignal,
): Promise<KeptBase> {
  const root = policy.workspaceRoot;
  const key = sha256(JSON.stringify([command, keep, root])).slice(0, 16);
  const folder = join(privateFolder, `check-base-${key}`);
  const saved = savedBase(folder);
  if (saved !== undefined) return { base: saved, folder, warnings: [] };
  const plan = { root, commands: [command], keep, path: environment["PATH"] ?? "" };
  const recorded = await recordBase(plan, folder, signal);
  recorded.warnings.forEach((warning) => warn(warning));
  return recorded;
}

const copyNeed = (copy: string) =>
  ({ kind: "path", target: copy, access: "write", because: "the check runs in a copy of the workspace" }) as const;

const MAX_OUTPUT = 6_000;

/** Runs a check in a folder, in the same sandbox as all commands, and ends all its processes. */
async function runCheck(
  runner: CommandRunner,
  request: { readonly command: string; readonly folder: string },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const running = await runner.start(request);
  let timedOut = false;
  const stop = () => void running.end();
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, timeoutMs);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const { code } = await running.ended;
    const output = showOutput(running.output.take(), running.output.file).slice(-MAX_OUTPUT);
    return { exitCode: code, output, timedOut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
