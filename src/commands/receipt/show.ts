import { findReceipt, finishedReceipt, type FoundReceipt } from "../../backplane/receipts/find-receipt.ts";
import { isGuarded } from "../../backplane/receipts/verify-receipts.ts";
import { Receipt } from "../../contract/receipt.ts";
import { exactJson } from "../../lib/exact-json.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { printable } from "../../lib/printable.ts";
import { EXIT } from "../../lib/user-error.ts";
import { wantedRun } from "./argument.ts";
import type { CommandInput } from "../command-module.ts";

/** Prints a receipt and its seal as text, or the receipt itself as JSON. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const found = findReceipt(signalboxHome(), wantedRun(words, "signalbox receipt show RUN"));
  const receipt = finishedReceipt(found);
  const text = flags["json"] === true ? exactJson(receipt) : printable(describe(found, Receipt.parse(receipt)));
  process.stdout.write(`${text}\n`);
  return EXIT.ok;
}

function describe({ statement: { predicate } }: FoundReceipt, receipt: Receipt): string {
  const { agent, guard, tree } = predicate;
  const { meta, usage } = receipt;
  const tools = receipt.trace.filter(({ type }) => type === "tool_call").length;
  const lines = {
    run: meta.run_id,
    agent: `${agent.name} ${agent.version ?? "(unknown version)"}, through ${receipt.backend.id}`,
    time: `${meta.started_at} to ${meta.finished_at}, ${meta.duration_ms} ms`,
    outcome: receipt.outcome,
    stopped: predicate.stopped,
    claimed: predicate.claimed ? "done" : "nothing",
    verified: predicate.verified.replace("_", " "),
    checks: predicate.acceptance
      .map(({ command, exit_code }) => `${command}: exit ${exit_code ?? "by signal"}`)
      .join("; "),
    guarded: isGuarded(predicate)
      ? `yes: ${guard.decisions.allow} allowed, ${guard.decisions.ask} asked, ${guard.decisions.deny} denied`
      : guard.calls_not_held.length === 0
        ? "no: this host does not send every call to the guard"
        : `no: ${guard.calls_not_held.length} calls ran before the guard answered`,
    events: `${receipt.trace.length}, ${tools} of them tool calls`,
    tokens: `${usage.input_tokens ?? "?"} in, ${usage.output_tokens ?? "?"} out, ${usage.estimated_cost_usd ?? "?"} USD`,
    tree: tree ?? "",
    artifacts: predicate.artifacts.map(({ path, size }) => `${path} (${size} bytes)`).join("; "),
    hash: receipt.receipt_sha256 ?? "",
    seal: `${predicate.sequence} in the chain, ${predicate.sealed_at}`,
  };
  return Object.entries(lines)
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `${name.padEnd(10)} ${text}`)
    .join("\n");
}
