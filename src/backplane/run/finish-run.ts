import type { AgentEvent } from "../../contract/agent-event.ts";
import { redact } from "../../guard/redact/redact.ts";
import { newEvent } from "../../contract/new-event.ts";
import { takeArtifacts } from "./take-artifacts.ts";
import { closeReceipt } from "../receipts/close-receipt.ts";
import { storeReceipt } from "../receipts/store-receipt.ts";
import { runAcceptance, type Verdict } from "./acceptance.ts";
import { type ActiveRun, keepEvent } from "./active-run.ts";
import { type Conclusion, conclude } from "./conclude.ts";
import type { RunEnd, RunParts, RunSetting } from "./run-parts.ts";
import { closingEvent, type FinalTree, finalTree, type FinishedRun, makeReceipt, sealFacts } from "./settle.ts";
import { messageOf } from "../../lib/message-of.ts";

interface Finished {
  /** Events that belong to the end, the closing one last. */
  readonly events: readonly AgentEvent[];
  readonly end: RunEnd;
}

const CHECK_MS = 60 * 60 * 1000;

/** Checks, seals, stores and closes a run whose processes have ended. */
export async function finishRun(run: ActiveRun, parts: RunParts): Promise<Finished> {
  const verdict = await check(run, parts);
  // A check may have left something running.
  if (verdict.verified !== "not_checked") await parts.processes.endRun(run.header.run_id);
  const refused = takeArtifacts(
    run.end?.artifacts ?? [],
    run.workspace?.workspace.root ?? run.header.root,
    run.artifacts,
  );
  const { tally, policyHash } = run.guard ?? { tally: () => NO_TALLY, policyHash: null };
  const { hash, count } = run.audit.head();
  const segment = run.audit.name;
  run.audit[Symbol.dispose]();
  const finished: FinishedRun = {
    header: run.header,
    folder: run.log.folder,
    durationMs: run.elapsedMs(),
    ...hostFacts(run),
    trace: run.trace,
    end: run.end,
    guard: { ...tally(run.host?.holds ?? false), policyHash },
    auditHead: count === 0 ? null : { segment, hash, count },
    artifacts: run.artifacts,
    workspace: run.workspace?.workspace,
    store: run.workspace?.store,
  };
  const conclusion = conclude({
    stop: run.stop,
    outcome: run.end?.outcome,
    verified: verdict.verified,
    notAccepted: verdict.because,
    lastDenied: finished.guard.lastDenied,
    hasErrors: run.trace.some(({ type }) => type === "error"),
  });
  if (refused.length > 0)
    keepEvent(
      run,
      newEvent({ type: "warning", message: `not kept as artifacts: ${refused.join(", ")}` }),
      parts.secrets,
    );
  const closed = await closeFinished(finished, {
    ...parts,
    verdict,
    conclusion,
    keep: (event) => logIfPossible(run, event),
  });
  const { outcome, exitCode, because } = conclusion;
  const finished_at = closed.end.receipt.meta.finished_at;
  const receipt_sha256 = closed.end.receipt.receipt_sha256 ?? "";
  run.log.close({ outcome, exit_code: exitCode, because, finished_at, receipt_sha256, applied_at: null });
  return closed;
}

/** On a full disk the receipt is tried all the same: it says what is missing. */
function logIfPossible({ log }: ActiveRun, event: AgentEvent): void {
  try {
    log.append({ t: "event", event });
  } catch {
    // Storing the receipt fails next, and that is what the person hears of.
  }
}

function hostFacts({ host, header }: ActiveRun): Pick<FinishedRun, "backend" | "capabilities" | "agent" | "holds"> {
  const { backend, capabilities, agent, holds } = host ?? unknownHost(header.agent);
  return { backend, capabilities, agent, holds };
}

const NO_TALLY = { decisions: { allow: 0, ask: 0, deny: 0 }, callsNotHeld: [], lastDenied: false };

export const unknownHost = (agent: string) => ({
  backend: { id: agent, backend_version: null, adapter_version: null },
  capabilities: {},
  agent: { name: agent, version: null, binary_sha256: null },
  holds: false,
});

/** Only a run that claims to be done is checked. */
async function check(run: ActiveRun, parts: RunParts): Promise<Verdict> {
  const store = run.workspace?.store;
  if (run.stop !== undefined || run.end?.outcome !== "complete" || store === undefined) return NOT_CHECKED;
  const cwd = run.workspace?.workspace.root ?? run.header.root;
  const { run_id: runId } = run.header;
  const { signal, limits } = parts;
  // A check may take as long as the whole work might have taken, and no longer.
  const timeoutMs = Math.min(CHECK_MS, limits.wallMs);
  return await runAcceptance(parts.accept, {
    store,
    runCheck: (command) => parts.processes.runCheck({ runId, command, cwd, timeoutMs, signal }),
  });
}

export const NOT_CHECKED: Verdict = { verified: "not_checked", acceptance: [], because: undefined, tree: null };

interface Closing extends RunSetting {
  readonly verdict: Verdict;
  readonly conclusion: Conclusion;
  readonly keep: (event: AgentEvent) => void;
}

/** Diff, last events, receipt and seal of a run that is over. */
export async function closeFinished(run: FinishedRun, closing: Closing): Promise<Finished> {
  const { verdict, conclusion, home, secrets } = closing;
  const clean = (text: string) => redact(text, secrets).text;
  const { tree, warning } = await treeOrWarning(run, closing);
  const refusal = conclusion.outcome === "failed" && !run.trace.some(({ type }) => type === "error");
  const events = [
    ...(warning === undefined ? [] : [newEvent({ type: "warning", message: clean(warning) })]),
    ...(refusal
      ? [newEvent({ type: "error", message: clean(conclusion.because), error_code: "validation_failed" })]
      : []),
    closingEvent(run, verdict, { ...conclusion, because: clean(conclusion.because) }),
  ];
  events.forEach(closing.keep);
  const accepted =
    verdict.verified === "accepted" || (verdict.verified === "not_checked" && conclusion.outcome === "complete");
  const whole = { ...run, trace: [...run.trace, ...events] };
  const draft = makeReceipt(whole, tree, { outcome: conclusion.outcome, accepted });
  const facts = sealFacts(run, { version: closing.version, conclusion, verdict, tree: tree.tree });
  const receipt = closeReceipt(draft, secrets);
  storeReceipt(home, { receipt, facts, now: () => new Date() });
  return {
    events,
    end: {
      type: "run-end",
      runId: run.header.run_id,
      receipt,
      facts,
      exitCode: conclusion.exitCode,
      because: conclusion.because,
      patch: tree.patchFile,
    },
  };
}

/** A workspace that can no longer be read costs the diff, not the receipt. */
async function treeOrWarning(run: FinishedRun, setting: RunSetting): Promise<{ tree: FinalTree; warning?: string }> {
  try {
    return { tree: await finalTree(run, setting) };
  } catch (error) {
    const why = messageOf(error);
    const tree = { diff: null, status: null, tree: null, patchFile: undefined };
    return { tree, warning: `what changed cannot be shown: ${why}` };
  }
}
