import type { SessionRecord } from "../../contract/session-record.ts";
import type { ToolDeed } from "../../contract/tool-call.ts";
import type { Processor, RequestStep } from "../../engine/processor.ts";
import { touchedInstructions } from "../../knowledge/instructions/touched-instructions.ts";
import { JIT_RULES, jitInstructions } from "../../knowledge/turn/jit-instructions.ts";
import { stateBlock } from "../../knowledge/turn/state-block.ts";
import { nameOf } from "../../knowledge/texts/name-of.ts";
import { loadedRecord, type NativeContext } from "./native-context.ts";

interface TurnParts {
  readonly context: NativeContext;
  /** How long the session may work after this start; undefined without a limit. */
  readonly timeoutMs: number | undefined;
  readonly openItems: () => readonly string[];
  /** Anything that differs after the work tree has changed; undefined where that is unknown. */
  readonly fingerprint: (signal: AbortSignal) => Promise<string | undefined>;
  /** The records of a resumed session, with the files that it has touched. */
  readonly before: readonly SessionRecord[];
  readonly record: (record: SessionRecord) => void;
  /** The files that were written in turns which were not taken back. Without it, all that were written count. */
  readonly written?: (() => readonly string[]) | undefined;
}

/**
 * What the model is told while it works: instructions about files that it touches and the state of the session, with
 * every request anew, and reminders, as messages.
 */
export function turnKnowledge(parts: TurnParts): Processor {
  const { context, timeoutMs, openItems, fingerprint, before, record } = parts;
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
      const [first, now] = [await tree, await fingerprint(step.signal)];
      return first === undefined || first !== now;
    },
  });
  return {
    name: "instructions",
    async *preRequest(now) {
      step = now;
      // Only a session with a time limit is reminded that nothing has changed.
      if (timeoutMs !== undefined) tree ??= fingerprint(now.signal);
      for (const { text } of await reminders())
        yield { type: "message", message: { role: "user", text, source: "jit-instruction" } };
    },
    async decorate({ left }) {
      const { turns, cost, ms } = left;
      const limits = { turnsLeft: turns, costLeft: cost, timeLeftMs: ms };
      const changed = parts.written?.().map((path) => nameOf(path, place)) ?? [...written];
      const state = stateBlock({ openItems: openItems(), changedFiles: changed, ...limits });
      return [...touched.texts(), ...(state === undefined ? [] : [state])];
    },
    async postTool(_, output) {
      for (const deed of output.deeds ?? []) {
        const found = see(deed);
        if (found === undefined || found.loaded.length + found.notLoaded.length === 0) continue;
        record(loadedRecord(found.loaded, found.notLoaded));
      }
      return undefined;
    },
  };
}

const percentLeft = (ms: number | undefined, whole: number | undefined) =>
  ms === undefined || whole === undefined ? undefined : (100 * ms) / whole;
