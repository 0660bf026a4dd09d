import type { ModelCall } from "../../contract/engine-event.ts";
import type { SessionRecord, UndoRecord } from "../../contract/session-record.ts";
import type { SnapshotSession } from "../../snapshots/open-session.ts";
import { openTurnSnapshots, type TurnSnapshots } from "../../snapshots/turn-snapshots.ts";
import type { Processor } from "../engine/processor.ts";
import type { Session } from "../log/session-log.ts";
import { readingCommands } from "../tools/guard-permit.ts";
import { READING_TOOLS } from "../tools/tool-names.ts";

/** What makes the turns of a session undoable. */
export interface SessionUndo extends AsyncDisposable {
  /** The log of the session; what is written to it also says which turn is going on. */
  readonly session: Session;
  readonly turns: TurnLog;
  /** For the session's own conversation, before a request. */
  readonly tell: Processor;
  /** For every agent of the session, after the guard. */
  readonly beforeChange: Processor;
  /** The snapshot of the start; undefined where the caller has taken one itself. */
  readonly snapshot: (() => SnapshotSession) | undefined;
  /** Takes it while nobody waits. */
  readonly prepare: () => void;
  /** Call this when a run has ended. */
  readonly rested: () => void;
  /** What the session has changed, as lines of `git status`; undefined where no snapshot was taken. Also after the end. */
  readonly changes: () => Promise<readonly string[] | undefined>;
  /** Settles when the states of all turns that are over are stored. */
  readonly settled: () => Promise<void>;
}

interface UndoOptions {
  readonly home: string;
  readonly workspace: string;
  /** Set where the caller has taken a snapshot itself. */
  readonly recovery?: object | undefined;
  readonly warn: (text: string) => void;
}

export function openSessionUndo(opened: Session, { home, workspace, recovery, warn }: UndoOptions): SessionUndo {
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
    beforeChange: beforeChange(workspace, snapshots, () => turns.turns.at(-1)?.id),
    snapshot: recovery === undefined ? snapshots.session : undefined,
    prepare: snapshots.prepare,
    changes: snapshots.changes,
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
    prepare: () => {},
    async before(turn) {
      if (said !== turn) onTurn((said = turn), { because: "a run keeps its own: signalbox runs restore" });
    },
    touched: () => {},
    after: () => {},
    settled: async () => {},
    changes: async () => undefined,
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * Has the state of the workspace stored before the first call of a turn that could change it. It comes after the guard,
 * so that a call which is not allowed costs nothing. One for all agents of a session. `turn` is the one that is going on,
 * undefined before the first prompt.
 */
function beforeChange(workspace: string, snapshots: TurnSnapshots, turn: () => string | undefined): Processor {
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

/** Whether a call could change files of the workspace. A command is judged as if there were no sandbox. */
function changeJudge(workspace: string): (call: ModelCall) => boolean {
  const onlyReads = readingCommands(workspace);
  return ({ name, input }) => {
    if (READING_TOOLS.has(name) || name === "store_memory") return false;
    return name !== "bash" || !onlyReads(input);
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

/** One turn of a conversation: a prompt of the person, and everything that was done until the next one. */
export interface SessionTurn {
  /** The id of its prompt. */
  readonly id: string;
  readonly text: string;
  /** The number of records before its prompt. */
  readonly start: number;
  /** The same for the time when its prompt was given. */
  readonly asked: number;
  /** Where the state of the workspace before it is stored, or why it is not; absent if it changed nothing. */
  saved?: { readonly id: string } | { readonly because: string } | undefined;
  /** The files that tools of ours have written. */
  readonly wrote: Set<string>;
}

/** Turns that were taken back and can be brought back. */
interface UndoneTurns {
  readonly record: UndoRecord;
  /** The number of records before the conversation was changed. */
  readonly end: number;
  readonly turns: readonly SessionTurn[];
}

/** The turns of a conversation, as its records say. */
export interface TurnLog {
  apply(record: SessionRecord): void;
  /** Those that are in the conversation now, oldest first. */
  readonly turns: readonly SessionTurn[];
  /** Those that were taken back, the last undo last. New work makes it empty. */
  readonly undone: readonly UndoneTurns[];
  /** New work has been done since turns were taken back. */
  readonly isPastRedo: boolean;
  /** An undo or redo that was interrupted. */
  readonly begun: UndoRecord | undefined;
  /** What the model has not been told yet. */
  readonly note: string | undefined;
}

interface State {
  readonly turns: SessionTurn[];
  /** When each prompt was given. */
  readonly asked: Map<string, number>;
  undone: UndoneTurns[];
  begun: UndoRecord | undefined;
  note: string | undefined;
  /** The number of records. */
  count: number;
  /** The agent works on the last turn, so another prompt belongs to it. */
  isRunning: boolean;
  isPastRedo: boolean;
}

export function openTurnLog(records: readonly SessionRecord[] = []): TurnLog {
  const state: State = {
    turns: [],
    asked: new Map(),
    undone: [],
    begun: undefined,
    note: undefined,
    count: 0,
    isRunning: false,
    isPastRedo: false,
  };
  const apply = (record: SessionRecord) => {
    see(record, state);
    state.count++;
  };
  for (const record of records) apply(record);
  return {
    apply,
    turns: state.turns,
    get undone() {
      return state.undone;
    },
    get isPastRedo() {
      return state.isPastRedo;
    },
    get begun() {
      return state.begun;
    },
    get note() {
      return state.note;
    },
  };
}

function see(record: SessionRecord, state: State): void {
  switch (record.type) {
    case "undo":
      return undo(record, state);
    case "queued":
      return void state.asked.set(record.promptId, state.count);
    case "rest":
      state.isRunning = false;
      return;
    case "message":
      return record.agent === undefined ? say(record, state) : undefined;
    case "snapshot":
      return save(record, state);
    case "call-end":
      return work(record, state);
    default:
  }
}

type Of<Type extends SessionRecord["type"]> = Extract<SessionRecord, { readonly type: Type }>;

function undo(record: UndoRecord, state: State): void {
  const { turns, undone, count: end } = state;
  state.note = record.note;
  state.begun = record.step === "begun" ? record : undefined;
  if (record.step === "begun") return;
  state.isRunning = false;
  state.isPastRedo = false;
  if (record.direction === "redo") return void turns.push(...(undone.pop()?.turns ?? []));
  const first = turns.findIndex(({ id }) => id === record.turns[0]);
  if (first !== -1) undone.push({ record, end, turns: turns.splice(first) });
}

function say({ message, promptId }: Of<"message">, state: State): void {
  const { count: start } = state;
  if (message.role === "assistant") {
    state.isRunning = message.parts.some(({ type }) => type === "call");
    return;
  }
  if (message.source === "state") state.note = undefined;
  if (message.source !== "person" || state.isRunning) return;
  state.isRunning = true;
  state.isPastRedo ||= state.undone.length > 0;
  state.undone = [];
  const id = promptId ?? `record-${start}`;
  state.turns.push({ id, text: message.text, start, asked: state.asked.get(id) ?? start, wrote: new Set() });
}

function save({ promptId, id, because = "it is not known where it is" }: Of<"snapshot">, { turns }: State): void {
  const turn = turns.find((each) => each.id === promptId);
  if (turn !== undefined) turn.saved = id === undefined ? { because } : { id };
}

function work({ deeds = [], agent, result }: Of<"call-end">, state: State): void {
  for (const deed of deeds) if (deed.kind === "write") state.turns.at(-1)?.wrote.add(deed.path);
  if (agent === undefined && result.ends !== undefined) state.isRunning = false;
}
