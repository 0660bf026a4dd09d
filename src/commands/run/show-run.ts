import { statSync } from "node:fs";
import type { RunStep } from "../../backplane/run/run-parts.ts";
import { isRecord } from "../../lib/is-record.ts";
import { printable } from "../../lib/printable.ts";
import { say } from "../../lib/say.ts";
import { EXIT } from "../../lib/user-error.ts";
import { printLine } from "../print-line.ts";

/** Shows the events of a run: one JSON event per line, or the agent's text on stdout and everything else on stderr. */
export function runShower(json: boolean): (step: RunStep) => Promise<void> {
  const started = performance.now();
  const state = { inText: false, deniedSaid: false };
  return async (step) => {
    if (json) {
      if (step.type === "event") await printLine(step.event);
      return;
    }
    if (step.type === "run-start") say(`run ${step.runId} in ${step.root}`);
    else if (step.type === "event") showEvent(step, state, started);
    else showEnd(step);
  };
}

const MAX_SHOWN = 160;

function showEvent(
  { event, progress }: Extract<RunStep, { type: "event" }>,
  state: { inText: boolean; deniedSaid: boolean },
  started: number,
): void {
  const text = "text" in event ? printable(event.text) : "";
  if (event.type === "assistant_delta") {
    state.inText = true;
    process.stdout.write(text);
    return;
  }
  if (state.inText) process.stdout.write("\n");
  const streamed = state.inText;
  state.inText = false;
  if (event.type === "assistant_message" && text !== "" && !streamed) process.stdout.write(`${text}\n`);
  if (event.type === "tool_call") {
    const seconds = Math.round((performance.now() - started) / 1000);
    const cost = progress.costUsd > 0 ? `, ${progress.costUsd.toFixed(4)} USD` : "";
    const tokens = progress.tokens > 0 ? `, ${progress.tokens} tokens` : "";
    say(
      `turn ${progress.turns}, ${seconds} s${tokens}${cost}: ${event.tool_name} ${JSON.stringify(event.input).slice(0, MAX_SHOWN)}`,
    );
  }
  if (event.type === "warning" || event.type === "error") say(`${event.type}: ${event.message}`);
  // Hosts that ask us themselves have already sent a warning; agents with our hooks only mention it in the result.
  const reason = event.type === "tool_result" ? denialIn(event.output) : undefined;
  if (reason !== undefined && !state.deniedSaid) say(`denied: ${reason.slice(0, MAX_REASON)}`);
  state.deniedSaid = event.type === "warning" && event.message.startsWith("tool denied: ");
}

const MAX_REASON = 400;

/** Why a call did not run; undefined when it did. */
function denialIn(output: unknown): string | undefined {
  if (!isRecord(output) || output["denied"] !== true) return undefined;
  return typeof output["reason"] === "string" ? output["reason"] : "no reason given";
}

function showEnd(end: Extract<RunStep, { type: "run-end" }>): void {
  const { held, calls_not_held: calls } = end.facts.guard;
  if (!held)
    say(
      calls.length === 0
        ? "this host does not send every tool call to the guard"
        : `${calls.length} tool ${calls.length === 1 ? "call was" : "calls were"} not judged before running`,
    );
  const apply = `signalbox apply ${end.runId}`;
  if (end.patch !== undefined && statSync(end.patch).size > 0)
    say(
      end.exitCode === EXIT.ok
        ? `apply the result with: ${apply}`
        : `the result is kept; to apply it anyway: ${apply} --unaccepted`,
    );
  say(`${end.receipt.outcome}: ${end.because}`);
  say(`receipt ${end.receipt.receipt_sha256 ?? ""}; signalbox receipt show ${end.runId}`);
}
