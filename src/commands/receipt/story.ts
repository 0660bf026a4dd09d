import { isGuarded } from "../../backplane/receipts/verify-receipts.ts";
import { isRefusedByAgent } from "../../contract/agent-event.ts";
import type { Receipt } from "../../contract/receipt.ts";
import type { SealPredicate } from "../../contract/seal.ts";
import { dollars } from "../../lib/dollars.ts";
import { type ChangedFile, changedFiles } from "./changed-files.ts";
import { callText, type DeniedCall, deniedCalls } from "./denied-calls.ts";
import { outcomeWords } from "./outcome-words.ts";

/** What a receipt and its seal say, in words. Nothing in it is safe to print as it is. */
export interface ReceiptStory {
  readonly runId: string;
  /** What commands call it: the beginning of its run's id. */
  readonly name: string;
  readonly task: string;
  readonly agent: string;
  readonly outcome: string;
  /** It ended well: done, and accepted where there was a check. */
  readonly good: boolean;
  readonly checks: readonly { readonly command: string; readonly passed: boolean; readonly end: string }[];
  readonly denied: readonly DeniedCall[];
  /** Denials that were counted but are not in the trace. */
  readonly deniedUnseen: number;
  readonly calls: readonly { readonly tool: string; readonly text: string }[];
  /** Undefined when the receipt does not say what changed. */
  readonly files: readonly ChangedFile[] | undefined;
  readonly diff: string;
  readonly guarded: string;
  readonly contained: string;
  readonly network: string;
  readonly cost: string;
  readonly time: string;
  readonly hash: string;
}

/** The story of a receipt. Without its seal, what only the seal knows is left empty. */
export function receiptStory(receipt: Receipt, predicate?: SealPredicate): ReceiptStory {
  const { meta, trace, verification } = receipt;
  const denied = deniedCalls(trace);
  return {
    runId: meta.run_id,
    name: meta.run_id.slice(0, 8),
    ...identity(receipt, predicate?.agent),
    outcome: outcomeWords(receipt, predicate),
    good: receipt.outcome === "complete",
    checks: checkWords(predicate?.acceptance ?? []),
    denied,
    deniedUnseen: Math.max(0, (predicate?.guard.decisions.deny ?? 0) - denied.length),
    calls: trace.flatMap((event) =>
      event.type === "tool_call" ? { tool: event.tool_name, text: callText(event.tool_name, event.input) } : [],
    ),
    files: changedFiles(verification),
    diff: verification.git_diff ?? "",
    guarded: predicate === undefined ? "" : guardedWords(predicate, trace.filter(isRefusedByAgent).length),
    contained: containedWords(predicate?.containment),
    network: networkWords(predicate?.containment),
    cost: costWords(receipt.usage),
    time: `${meta.started_at.slice(0, 19).replace("T", " ")} UTC, ${durationWords(meta.duration_ms)}`,
    hash: receipt.receipt_sha256 ?? "",
  };
}

/** Who worked on what. The first event names the agent and the task. */
function identity({ backend, trace }: Receipt, agent: SealPredicate["agent"] | undefined) {
  const name = agent?.name ?? backend.id;
  const version = agent?.version ?? backend.backend_version;
  const first = trace.find(({ type }) => type === "run_started");
  const message = first?.type === "run_started" ? first.message : "";
  const prefix = [`${backend.id}: `, `${name}: `].find((candidate) => message.startsWith(candidate)) ?? "";
  const through = name === backend.id ? undefined : `(through ${backend.id})`;
  return { agent: [name, version, through].filter(Boolean).join(" "), task: message.slice(prefix.length) };
}

/** Every check that ran, with its round if there were several. */
function checkWords(acceptance: SealPredicate["acceptance"]): ReceiptStory["checks"] {
  const hasRounds = acceptance.some(({ round = 1 }) => round > 1);
  return acceptance.map((check) => {
    const { passed, end } = checkEnd(check);
    return { command: check.command, passed, end: hasRounds ? `round ${check.round ?? 1} ${end}` : end };
  });
}

function checkEnd({ exit_code: code, base }: SealPredicate["acceptance"][number]) {
  const changed = (base?.changed ?? []).map(({ path, how }) => `${path} (${how})`).join(", ");
  if (code === 0 && base !== undefined)
    return base.because === null
      ? { passed: true, end: `passed, also without the changes to ${changed}` }
      : { passed: false, end: `passed only with changes to what decides it: ${changed || base.because}` };
  if (code === 0) return { passed: true, end: "passed" };
  return { passed: false, end: code === null ? "failed, ended by a signal" : `failed with exit code ${code}` };
}

function guardedWords(predicate: SealPredicate, refusedByAgent: number): string {
  const { decisions, calls_not_held: calls } = predicate.guard;
  const refused = refusedByAgent === 0 ? "" : `; ${refusedByAgent} refused by the agent itself`;
  if (isGuarded(predicate))
    return `yes: ${decisions.allow} allowed, ${decisions.ask} asked, ${decisions.deny} denied${refused}`;
  return calls.length === 0
    ? "no: this host does not send every call to the guard"
    : `no: ${calls.length} ${calls.length === 1 ? "call" : "calls"} ran before the guard answered`;
}

type Containment = SealPredicate["containment"];

function containedWords(facts: Containment): string {
  if (facts === undefined || facts === null) return "";
  if (!facts.contained) return `no: ${facts.because ?? "no reason was recorded"}`;
  const by = facts.by ?? "a sandbox";
  const proven = facts.proven_at === null ? by : `${by}, proven ${facts.proven_at.slice(0, 10)}`;
  const lent = facts.lent.map(({ what, command }) => `${what} to \`${command}\``).join(", ");
  const outside = facts.outside.map((command) => `\`${command}\``).join(", ");
  return [
    `yes: ${facts.held.join(", ")} (${proven})`,
    ...(lent === "" ? [] : [`lent ${lent}`]),
    outside === "" ? "nothing ran outside" : `ran outside: ${outside}`,
  ].join("; ");
}

function networkWords(facts: Containment): string {
  if (facts === undefined || facts === null || !facts.contained) return "";
  const reached = facts.hosts.map(({ host, sent, received }) => `${host} (${sent} bytes sent, ${received} received)`);
  const refused = facts.refused_hosts.length === 0 ? [] : [`refused: ${facts.refused_hosts.join(", ")}`];
  return [reached.length === 0 ? "no host reached" : reached.join(", "), ...refused].join("; ");
}

function costWords({ estimated_cost_usd: cost, input_tokens: input, output_tokens: output }: Receipt["usage"]): string {
  const price = cost === null ? "price unknown" : dollars(cost);
  const count = (tokens: number | null) => tokens?.toLocaleString("en-US") ?? "?";
  return input === null && output === null
    ? cost === null
      ? ""
      : price
    : `${price} (${count(input)} tokens in, ${count(output)} out)`;
}

function durationWords(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
