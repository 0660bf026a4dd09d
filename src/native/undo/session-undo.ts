import type { ModelCall } from "../../contract/engine-event.ts";
import type { Policy } from "../../contract/policy.ts";
import { decide } from "../../guard/decide-and-record.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { readOnlyPolicy } from "../../guard/policy/active-policy.ts";
import type { SnapshotSession } from "../../snapshots/open-session.ts";
import { openTurnSnapshots, type TurnSnapshots } from "../../snapshots/turn-snapshots.ts";
import type { Processor } from "../engine/processor.ts";
import type { Session } from "../log/session-log.ts";
import { openTurnLog, type TurnLog } from "./turn-log.ts";

/** What makes the turns of a session undoable. */
export interface SessionUndo extends AsyncDisposable {
  /** The log of the session; what is written to it also says which turn is going on. */
  readonly session: Session;
  readonly turns: TurnLog;
  /** For the session's own conversation, before a request. */
  readonly tell: Processor;
  readonly tools: {
    /** For every agent of the session, after the guard. */
    readonly beforeChange: Processor;
    /** The snapshot of the start; undefined where the caller has taken one itself. */
    readonly snapshot: (() => SnapshotSession) | undefined;
  };
  /** Call this when a run has ended. */
  readonly rested: () => void;
  /** Settles when the states of all turns that are over are stored. */
  readonly settled: () => Promise<void>;
}

interface UndoParts {
  readonly home: string;
  readonly workspace: string;
  /** Set where the caller has taken a snapshot itself. */
  readonly recovery?: object | undefined;
  readonly warn: (text: string) => void;
}

export function openSessionUndo(opened: Session, { home, recovery, warn, workspace }: UndoParts): SessionUndo {
  const turns = openTurnLog(opened.before);
  const session: Session = {
    ...opened,
    append(record) {
      opened.append(record);
      turns.apply(record);
    },
  };
  const onTurn: OnTurn = (promptId, saved) => session.append({ type: "snapshot", promptId, ...saved });
  const snapshots =
    recovery === undefined
      ? openTurnSnapshots({ home, id: opened.id, agent: "native", workspace, warn, onTurn })
      : keptByRun(onTurn);
  return {
    session,
    turns,
    tell: tellUndo(() => turns.note),
    tools: {
      beforeChange: beforeChange({ workspace, snapshots, turn: () => turns.turns.at(-1)?.id }),
      snapshot: recovery === undefined ? snapshots.session : undefined,
    },
    rested: snapshots.after,
    settled: snapshots.settled,
    [Symbol.asyncDispose]: () => snapshots[Symbol.asyncDispose](),
  };
}

type OnTurn = Parameters<typeof openTurnSnapshots>[0]["onTurn"];

/** The turns of a run are not undone one by one. */
function keptByRun(onTurn: OnTurn): TurnSnapshots {
  let said: string | undefined;
  return {
    session: () => {
      throw new Error("a run has its own snapshot");
    },
    async before(turn) {
      if (said !== turn) onTurn((said = turn), { because: "a run keeps its own: signalbox runs restore" });
    },
    touched: () => {},
    after: () => {},
    settled: async () => {},
    async [Symbol.asyncDispose]() {},
  };
}

interface BeforeChange {
  readonly workspace: string;
  readonly snapshots: Pick<TurnSnapshots, "before" | "touched">;
  /** The turn that is going on; undefined before the first prompt. */
  readonly turn: () => string | undefined;
}

/**
 * Has the state of the workspace stored before the first call of a turn that could change it. It comes after the guard,
 * so that a call which is not allowed costs nothing. One for all agents of a session.
 */
function beforeChange({ workspace, snapshots, turn }: BeforeChange): Processor {
  const mayChange = changeJudge(workspace);
  let stored: string | undefined;
  return {
    name: "undo",
    async preTools(calls) {
      const now = turn();
      if (now === undefined || (stored !== now && !calls.some(mayChange))) return [];
      await snapshots.before(now);
      stored = now;
      return [];
    },
    async postTool() {
      if (stored !== undefined) snapshots.touched();
      return undefined;
    },
  };
}

/** Tools that change nothing in the workspace. Any other is denied in plan mode. */
export const READING_TOOLS = new Set(
  "read grep glob fetch web_search todo ask_user report_intent signalbox_docs skill read_bash stop_bash lsp task read_task mcp_search".split(
    " ",
  ),
);

/** Whether a call could change files of the workspace. A command is judged as if there were no sandbox. */
function changeJudge(workspace: string): (call: Pick<ModelCall, "name" | "input">) => boolean {
  let policy: Policy | undefined;
  return ({ name, input }) => {
    if (READING_TOOLS.has(name) || name === "store_memory") return false;
    if (name !== "bash") return true;
    policy ??= readOnlyPolicy(workspace);
    return decide({ tool: name, input, cwd: workspace }, policy, realMachine).verdict !== "allow";
  };
}

/** Tells the model, once and after the next prompt, that files or turns were taken back. */
const tellUndo = (note: () => string | undefined): Processor => ({
  name: "undo",
  async *preRequest() {
    const text = note();
    if (text !== undefined) yield { type: "message", message: { role: "user", text, source: "state" } };
  },
});
