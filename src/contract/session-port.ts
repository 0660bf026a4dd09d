import type { NamedCall, SessionEnd, SessionEvent, SessionOutcome } from "./engine-event.ts";
import type { WorkMode } from "./engine-settings.ts";
import type { Message } from "./message.ts";

/** What a session offers to the terminal in front of it. Both forms of the terminal, rich and plain, use only this. */
export interface SessionPort {
  readonly id: string;
  /** The name of the model. */
  readonly model: string;
  readonly history: readonly Message[];
  /** True if `run` has something to do. */
  readonly unfinished: boolean;
  /** Prompts that the model has not seen yet. */
  readonly queued: number;
  readonly mode: WorkMode;
  setMode(mode: WorkMode): void;
  /** Queues a prompt and returns its id. During a run, it reaches the model with its next request. */
  add(text: string): string;
  /** Takes a prompt back that the model has not seen yet. False when it is too late. */
  withdraw(promptId: string): boolean;
  /** Runs until there is nothing left to do. One run at a time. */
  run(signal: AbortSignal): AsyncGenerator<SessionEvent, SessionOutcome>;
  /** Carries out a line that starts with a slash. Returns where to go when it leaves this session. */
  command(text: string, view: CommandView): Promise<SessionMove | void>;
  /** The names of all commands, with their slash. */
  commands(): readonly NamedCommand[];
  /** Runs a command of the person in the session's sandbox, judged like any other. The model reads of it with the next prompt. */
  shell(command: string, signal: AbortSignal): AsyncGenerator<SessionEvent>;
  /** What the status line shows. */
  state(): SessionState;
  /** Paths of the workspace, for completion. */
  files(): Promise<readonly string[]>;
  /** What was asked in this folder before, newest first. */
  prompts(): readonly string[];
  /** The other sessions of this folder, newest first. */
  sessions(): readonly PastSession[];
  readonly words: SessionWords;
}

/** Shows what a command prints, and what happens while one works. */
export interface CommandView {
  readonly write: (text: string) => void;
  /** Shows events until they end; the person can interrupt them. */
  readonly follow: (
    begin: (signal: AbortSignal) => AsyncGenerator<SessionEvent, SessionOutcome | void>,
  ) => Promise<void>;
}

export interface NamedCommand {
  readonly name: string;
  readonly description: string;
}

export interface PastSession {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
}

/** Another session to open in this terminal; without an id, a new one. */
export interface SessionMove {
  readonly resume: string | undefined;
  /** Another model for it. */
  readonly model?: string;
}

export interface SessionState {
  readonly effort: string | undefined;
  /** Undefined until the first command was judged. */
  readonly isContained: boolean | undefined;
  readonly branch: string | undefined;
  /** How many tokens the model takes. */
  readonly window: number;
  /** In US dollars; undefined when the price of any request is unknown. */
  readonly cost: number | undefined;
}

/** Events in words for a person, safe to print. */
export interface SessionWords {
  /** One line, or undefined where there is nothing to say. */
  readonly event: (event: SessionEvent) => string | undefined;
  /** The last line is the verdict. */
  readonly outcome: (outcome: SessionEnd) => readonly string[];
  /** A call as one line. */
  readonly call: (call: NamedCall) => string;
  /** A call as it must be seen before it is approved; `whole` is false if a part was left out. */
  readonly question: (call: NamedCall) => { readonly text: string; readonly whole: boolean };
}
