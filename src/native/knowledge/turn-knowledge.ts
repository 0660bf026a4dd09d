import type { ToolDeed } from "../../contract/engine-event.ts";
import type { SessionRecord } from "../../contract/session-record.ts";
import { dollars, firstFew, shortLine } from "../../lib/text/printable.ts";
import type { Processor, RequestStep } from "../engine/processor.ts";
import { loadedRecord, type NativeContext } from "./context.ts";
import { touchedInstructions } from "./instructions.ts";
import { nameOf } from "./text-files.ts";

interface TurnSources {
  readonly context: NativeContext;
  /** How long the session may work after this start; undefined without a limit. */
  readonly timeoutMs?: number | undefined;
  readonly openItems: () => readonly string[];
  /** Anything that differs after the work tree has changed; undefined where that is unknown. */
  readonly fingerprint?: (signal: AbortSignal) => Promise<string | undefined>;
  /** The records of a resumed session, with the files that it has touched. */
  readonly before?: readonly SessionRecord[];
  readonly record?: (record: SessionRecord) => void;
  /** The files that were written in turns which were not taken back. Without it, all that were written count. */
  readonly written?: (() => readonly string[]) | undefined;
}

/**
 * What the model is told while it works: instructions about files that it touches and the state of the session, with
 * every request anew, and reminders, as messages.
 */
export function turnKnowledge(sources: TurnSources): Processor {
  const { context, timeoutMs, openItems, fingerprint, before = [], record } = sources;
  const { place, instructions } = context;
  const touched = touchedInstructions(instructions, place);
  const written = new Set<string>();
  const see = (deed: Pick<ToolDeed, "kind"> & { readonly path?: string }) => {
    if ((deed.kind !== "read" && deed.kind !== "write") || deed.path === undefined) return undefined;
    if (deed.kind === "write") written.add(nameOf(deed.path, place));
    return touched.touched(deed.path);
  };
  for (const each of before) if (each.type === "call-end") for (const deed of each.deeds ?? []) see(deed);

  let step: RequestStep | undefined;
  let tree: Promise<string | undefined> | undefined;
  const reminders = jitInstructions(JIT_RULES, {
    percentLeft: () => percentLeft(step?.left.ms, timeoutMs),
    async hasChangedPaths() {
      if (written.size > 0 || step === undefined) return true;
      const [first, now] = [await tree, await fingerprint?.(step.signal)];
      return first === undefined || first !== now;
    },
  });
  return {
    name: "instructions",
    async *preRequest(now) {
      step = now;
      // Only a session with a time limit is reminded that nothing has changed.
      if (timeoutMs !== undefined) tree ??= fingerprint?.(now.signal);
      for (const { text } of await reminders())
        yield { type: "message", message: { role: "user", text, source: "jit-instruction" } };
    },
    async decorate({ left }) {
      const { turns, cost, ms } = left;
      const limits = { turnsLeft: turns, costLeft: cost, timeLeftMs: ms };
      const changed = sources.written?.().map((path) => nameOf(path, place)) ?? [...written];
      const state = stateBlock({ openItems: openItems(), changedFiles: changed, ...limits });
      return [...touched.texts(), ...(state === undefined ? [] : [state])];
    },
    async postTool(_, output) {
      for (const deed of output.deeds ?? []) {
        const found = see(deed);
        if (found === undefined || found.loaded.length + found.notLoaded.length === 0) continue;
        record?.(loadedRecord(found.loaded, found.notLoaded));
      }
      return undefined;
    },
  };
}

const percentLeft = (ms: number | undefined, whole: number | undefined) =>
  ms === undefined || whole === undefined ? undefined : (100 * ms) / whole;

/** A text for the model that fits one moment of a session. */
interface JitRule {
  readonly name: string;
  /** Due when at most this percentage of the time is left. Never due without a time limit. */
  readonly percentLeft?: number;
  /** Due only while no path has changed since the session began. */
  readonly whenNoPathsChanged?: boolean;
  readonly text: string | (() => string);
}

/** What the rules look at. It is asked before each request, and only for what a waiting rule needs. */
interface JitMoment {
  /** From 0 to 100; undefined without a time limit. */
  readonly percentLeft: () => number | undefined;
  readonly hasChangedPaths: () => Promise<boolean>;
}

/** A text that is due now. */
interface JitText {
  readonly name: string;
  readonly text: string;
}

/** Our own rules. */
export const JIT_RULES: readonly JitRule[] = [
  {
    name: "nothing has changed yet",
    percentLeft: 50,
    whenNoPathsChanged: true,
    text: "Half of the time is used and no file has changed. If the task asks for a change, stop exploring and make it now. If it does not, answer with what you know.",
  },
  {
    name: "time is running out",
    percentLeft: 20,
    text: "Less than a fifth of the time is left. Finish what you have begun, make sure that it works, and say what is not done. Do not begin anything new.",
  },
];

/** Asks the rules before each request. Each gives its text at most once in a session. */
export function jitInstructions(rules: readonly JitRule[], moment: JitMoment): () => Promise<readonly JitText[]> {
  const waiting = new Set(rules);
  return async () => {
    const due: JitText[] = [];
    for (const rule of waiting) {
      if (!isLate(rule, moment)) continue;
      if (rule.whenNoPathsChanged === true && (await moment.hasChangedPaths())) continue;
      waiting.delete(rule);
      due.push({ name: rule.name, text: typeof rule.text === "string" ? rule.text : rule.text() });
    }
    return due;
  };
}

function isLate({ percentLeft: most }: JitRule, moment: JitMoment): boolean {
  if (most === undefined) return true;
  const left = moment.percentLeft();
  return left !== undefined && left <= most;
}

/** Where a session stands before a request. Whatever is undefined is unlimited or unknown. */
interface TurnState {
  /** Open work items, in a line each. */
  readonly openItems: readonly string[];
  readonly turnsLeft?: number | undefined;
  /** In US dollars. */
  readonly costLeft?: number | undefined;
  readonly timeLeftMs?: number | undefined;
  /** Relative to the workspace. */
  readonly changedFiles: readonly string[];
}

const MAX_NAMED = 8;

const MAX_NAME = 80;

/** With what it waits for and what there is of it. */
const MAX_ITEM = 200;

/** The state as one short block for the next request; undefined when there is nothing to say. */
export function stateBlock(state: TurnState): string | undefined {
  const lines = [
    list("Open work items", state.openItems, MAX_ITEM),
    left(state),
    list("Files changed so far", state.changedFiles),
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? undefined : `<state>\n${lines.join("\n")}\n</state>`;
}

function list(title: string, items: readonly string[], most = MAX_NAME): string | undefined {
  if (items.length === 0) return undefined;
  const named = items.map((item) => shortLine(item.replaceAll("<", "‹"), most));
  return `${title} (${items.length}): ${firstFew(named, MAX_NAMED).join("; ")}`;
}

function left({ turnsLeft, costLeft, timeLeftMs }: TurnState): string | undefined {
  const parts = [
    amount(turnsLeft, (turns) => `${Math.floor(turns)} ${Math.floor(turns) === 1 ? "turn" : "turns"}`),
    amount(costLeft, dollars),
    amount(timeLeftMs, duration),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : `Left: ${parts.join(", ")}`;
}

/** A clock that jumps may give a negative or impossible number. */
const amount = (value: number | undefined, show: (value: number) => string) =>
  value === undefined || !Number.isFinite(value) ? undefined : show(Math.max(0, value));

function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
