import type { Processor } from "../../../engine/processor.ts";
import { openTurnLog, type TurnLog } from "../../../sessions/turns.ts";
import type { Session } from "../../../sessions/session.ts";
import type { SnapshotSession } from "../../../snapshots/open-session.ts";
import { openTurnSnapshots, type TurnSnapshots } from "../../../snapshots/turn-snapshots.ts";
import { beforeChange } from "./before-change.ts";
import { tellUndo } from "./tell-undo.ts";

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
