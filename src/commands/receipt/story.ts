import { callText, isPartly } from "../../contract/agent-call.ts";
import { isRefusedByAgent } from "../../contract/agent-event.ts";
import type { Receipt } from "../../contract/receipt.ts";
import { SealFacts, type SealPredicate } from "../../contract/seal.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { dollars } from "../../lib/text/printable.ts";
import { isGuarded } from "../../receipts/seal/verify-receipts.ts";
import { type DeniedCall, deniedCalls } from "../denied-calls.ts";

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

function checkEnd({ exit_code: code, timed_out: timedOut, base }: SealPredicate["acceptance"][number]) {
  const changed = (base?.changed ?? []).map(({ path, how }) => `${path} (${how})`).join(", ");
  if (code === 0 && base !== undefined)
    return base.because === null
      ? { passed: true, end: `passed, also without the changes to ${changed}` }
      : { passed: false, end: `passed only with changes to what decides it: ${changed || base.because}` };
  if (code === 0) return { passed: true, end: "passed" };
  if (timedOut === true) return { passed: false, end: "failed, took too long" };
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
    `${isPartly(facts.held) ? "partly" : "yes"}: ${facts.held.join(", ")} (${proven})`,
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

/** How a run ended, as one sentence without a full stop. */
function outcomeWords(receipt: Receipt, predicate: SealPredicate | undefined): string {
  const end = endOf(receipt, predicate);
  const why = end.because === "" ? "" : `: ${end.because}`;
  if (end.verified === "stale") return "not accepted: the files changed while they were checked, or after that";
  if (end.verified === "changed_check")
    return "accepted by a changed check: it passes only with the agent's version of the files that decide it";
  if (end.verified === "refused") return "not accepted: the agent said it was done, but a check failed";
  switch (end.stopped) {
    case "denied":
      return "stopped: a call was blocked, and the agent did nothing after that";
    case "limit":
      return `stopped at a limit${why}`;
    case "no_progress":
      return `stopped without progress${why}`;
    case "crashed":
      return `failed: the agent crashed${why}`;
    case "interrupted":
      return `interrupted${why === ": interrupted" ? "" : why}`;
    case "failed":
      return `failed${why}`;
    default:
      return receipt.outcome === "complete" ? doneWords(end.verified) : `${receipt.outcome}${why}`;
  }
}

const doneWords = (verified: SealFacts["verified"] | undefined) =>
  verified === "accepted" ? "done, and every check passed" : "done, as the agent says; nothing was checked";

/** A receipt without its seal has these facts in its last event, if we wrote it. */
function endOf({ trace }: Receipt, predicate: SealPredicate | undefined) {
  const last = trace.findLast(({ type }) => type === "run_completed")?.ext;
  const ext = isRecord(last) ? last : {};
  const because = typeof ext["because"] === "string" ? (ext["because"].split("\n")[0] ?? "") : "";
  const told = SealFacts.pick({ stopped: true, verified: true }).partial().safeParse({
    stopped: ext["stopped"],
    verified: ext["verified"],
  });
  return {
    because,
    ...(told.success ? told.data : {}),
    ...(predicate && { stopped: predicate.stopped, verified: predicate.verified }),
  };
}

/** A file that a run changed. Lines are unknown where the receipt has no diff, and for binary files. */
export interface ChangedFile {
  /** `A` added, `D` deleted, `M` modified, `R` renamed, `T` type changed, `?` could not be read. */
  readonly letter: string;
  readonly path: string;
  readonly lines?: { readonly added: number; readonly removed: number };
}

/** The files that a run changed, from the diff and the status in its receipt; undefined when it has neither. */
function changedFiles(verification: Receipt["verification"]): readonly ChangedFile[] | undefined {
  const { git_diff: diff, git_status: status } = verification;
  if (diff === null && status === null) return undefined;
  const lines = (status ?? "").split("\n").flatMap((line) => {
    const [, letter, path] = /^([\w?]) {2}(.+)$/.exec(line) ?? [];
    return letter === undefined || path === undefined ? [] : { letter, path };
  });
  const named = lines.filter(({ letter }) => letter !== "?");
  const unreadable = lines.filter(({ letter }) => letter === "?");
  const sections = (diff ?? "").split(/^(?=diff --git )/m).filter((text) => text.startsWith("diff --git "));
  const counted = sections.map(readSection);
  // Both are in the order of git, and names in the status are not quoted.
  if (named.length !== counted.length) return [...(counted.length === 0 ? named : counted), ...unreadable];
  return [...counted.map((file, at) => ({ ...file, ...named[at] })), ...unreadable];
}

function readSection(section: string): ChangedFile {
  const lines = section.split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@ ") || line === "GIT binary patch");
  const head = start === -1 ? lines : lines.slice(0, start);
  const after = (word: string) => head.find((line) => line.startsWith(word))?.slice(word.length);
  const path =
    after("rename to ") ?? after("+++ b/") ?? after("--- a/") ?? / b\/(.*)$/.exec(lines[0] ?? "")?.[1] ?? "?";
  const letter = head.some((line) => line.startsWith("new file"))
    ? "A"
    : head.some((line) => line.startsWith("deleted file"))
      ? "D"
      : after("rename to ") === undefined
        ? "M"
        : "R";
  if (lines[start] === "GIT binary patch") return { letter, path };
  const body = start === -1 ? [] : lines.slice(start);
  const count = (sign: string) => body.filter((line) => line.startsWith(sign)).length;
  return { letter, path, lines: { added: count("+"), removed: count("-") } };
}

/** What is known of the lines of one file. */
export const fileDetail = (file: ChangedFile): string =>
  file.letter === "?" ? "cannot be read, so its changes are unknown" : lineCounts([file]);

/** `+3 -1` of several files; empty where no lines are known. */
export function lineCounts(files: readonly ChangedFile[]): string {
  const known = files.flatMap(({ lines }) => (lines === undefined ? [] : lines));
  const sum = (side: "added" | "removed") => known.reduce((total, lines) => total + lines[side], 0);
  return known.length === 0 ? "" : `+${sum("added")} -${sum("removed")}`;
}
