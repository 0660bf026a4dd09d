import type { SealFacts } from "../contract/seal.ts";
import type { Verdict } from "../contract/verdict.ts";
import { isRecord } from "../lib/json/json-value.ts";

/** What a session did, collected while it runs. Loads nothing, because it is there from the beginning. */
export interface CallRecord {
  readonly prompted: (prompt: string) => void;
  readonly answered: (call: SessionCall, answer: SessionAnswer) => void;
  /** The beginning of the first prompt. */
  readonly task: () => string;
  readonly decisions: () => Readonly<Record<Verdict, number>>;
  readonly count: () => number;
  /** The last record of the audit log that belongs to one of the calls. */
  readonly auditHead: () => SealFacts["audit_head"];
  /** The first ones, without the content of files. */
  readonly calls: readonly RecordedCall[];
}

interface SessionCall {
  readonly tool: string;
  readonly input: unknown;
  readonly id?: string | null | undefined;
}

interface SessionAnswer {
  readonly verdict: Verdict;
  readonly because: string;
  /** How far the audit log goes with this answer. */
  readonly logged?: SealFacts["audit_head"] | undefined;
}

export interface RecordedCall extends SessionCall, Omit<SessionAnswer, "logged"> {
  readonly at: Date;
}

/** More calls are only counted, so that a receipt stays small and is sealed quickly. */
const MAX_CALLS = 500;

const MAX_FIELD = 1000;

const MAX_ITEMS = 50;

const MAX_TASK = 200;

export function openCallRecord(): CallRecord {
  const calls: RecordedCall[] = [];
  const decisions = { allow: 0, ask: 0, deny: 0 };
  let task = "";
  let head: SealFacts["audit_head"] = null;
  return {
    calls,
    task: () => task,
    decisions: () => ({ ...decisions }),
    count: () => decisions.allow + decisions.ask + decisions.deny,
    prompted(prompt) {
      if (task === "") task = prompt.trim().slice(0, MAX_TASK);
    },
    auditHead: () => head,
    answered({ tool, input, id }, { verdict, because, logged }) {
      head = logged ?? head;
      decisions[verdict]++;
      if (calls.length < MAX_CALLS) calls.push({ tool, input: shortened(input), id, verdict, because, at: new Date() });
    },
  };
}

function shortened(value: unknown): unknown {
  if (typeof value === "string") return value.length <= MAX_FIELD ? value : `${value.slice(0, MAX_FIELD)}…`;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shortened);
  if (!isRecord(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}
