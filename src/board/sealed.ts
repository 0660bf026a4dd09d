import * as z from "zod";
import type { BoardEntry } from "../contract/board-entry.ts";
import type { SealPredicate, Statement } from "../contract/seal.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { latestReceipts, sealedReceipt, storeState } from "../receipts/seal/find-receipt.ts";

/** How something ended, by what is sealed about it. */
export function sealedState({
  stopped,
  verified,
}: Pick<SealPredicate, "stopped" | "verified">): Pick<BoardEntry, "state" | "why"> {
  switch (verified) {
    case "accepted":
      return { state: "verified", why: "its check passed" };
    case "refused":
      return { state: "failed", why: "its check failed" };
    case "changed_check":
      return { state: "failed", why: "its check passes only with the agent's changes to it" };
    case "stale":
      return { state: "claimed done", why: "files changed after its check" };
    case "not_checked":
      return STOPPED[stopped];
  }
}

const STOPPED: Readonly<Record<SealPredicate["stopped"], Pick<BoardEntry, "state" | "why">>> = {
  answered: { state: "claimed done", why: "nothing was checked" },
  denied: { state: "denied", why: "a call was blocked, and it did nothing after that" },
  interrupted: { state: "interrupted", why: "interrupted" },
  limit: { state: "failed", why: "stopped at a limit" },
  no_progress: { state: "failed", why: "stopped without progress" },
  crashed: { state: "failed", why: "the agent crashed" },
  failed: { state: "failed", why: "failed" },
};

/** The newest seals, oldest first, read again when the chain has changed. */
export function openSeals(home: string, most: number): () => readonly Statement[] {
  let state: string | undefined;
  let seals: readonly Statement[] = [];
  return () => {
    const now = storeState(home);
    if (state !== now) seals = latestReceipts(home, most).map(({ statement }) => statement);
    state = now;
    return seals;
  };
}

/** Entries of sessions of which the receipt is left. A receipt is read once. */
export function openSealEntries(home: string): (statement: Statement) => BoardEntry {
  const known = new Map<string, Told>();
  return (statement) => {
    const { run_id: id, agent, guard, finished_at: finished, ...seal } = statement.predicate;
    const told = known.get(id) ?? receiptWords(home, statement);
    known.set(id, told);
    const { allow, ask, deny } = guard.decisions;
    const base = { id, kind: "receipt" as const, agent: agent.name, isLive: false, restorable: false, receipt: id };
    const counts = { calls: allow + ask + deny, denied: deny };
    return { ...base, ...counts, ...sealedState(seal), source: "log", since: Date.parse(finished), ...told };
  };
}

type Told = Pick<BoardEntry, "task" | "folder"> & Partial<Pick<BoardEntry, "state" | "why">>;

const MAX_RECEIPT = 1024 * 1024;

const First = z.object({
  type: z.literal("run_started"),
  message: z.string(),
  ext: z.object({ root: z.string().optional() }).nullish(),
});

/** What the receipt says beside its seal: who was asked for what, and where. */
function receiptWords(home: string, statement: Statement): Told {
  const nothing = { task: "", folder: "" };
  const content = sealedReceipt(home, statement);
  if (content === "gone") return { ...nothing, why: "its receipt is not there any more" };
  if (content === "changed")
    return { ...nothing, state: "unknown", why: "its receipt was changed: signalbox receipt verify" };
  if (content.length > MAX_RECEIPT) return nothing;
  const { trace } = z.object({ trace: z.array(z.unknown()) }).parse(parseJson(content.toString("utf8")));
  const { message = "", ext } = First.safeParse(trace[0]).data ?? {};
  return { task: message.replace(/^[\w-]+: /, ""), folder: ext?.root ?? "" };
}
