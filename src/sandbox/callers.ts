import { reportedStart } from "./loans.ts";

/** Whose command it is, for the audit log. */
export interface Caller {
  readonly session: string;
  readonly agent: string;
}

/** Who judged which command. The sandbox reports a command only by its text. */
export interface Callers {
  note(command: string, caller: Caller): void;
  /**
   * The last who had a command with this text. Where it is not known, the only session that has had commands, or the
   * one that the sandbox was opened for.
   */
  of(command: string | undefined): Caller;
}

const MAX_KNOWN = 1000;

export function openCallers(owner: Caller): Callers {
  const known = new Map<string, Caller>();
  const sessions = new Map<string, Caller>();
  const usual = () => (sessions.size === 1 ? [...sessions.values()][0] : undefined) ?? owner;
  return {
    note(command, caller) {
      const key = reportedStart(command);
      known.delete(key);
      known.set(key, caller);
      if (sessions.size < 2) sessions.set(caller.session, caller);
      for (const [oldest] of known) {
        if (known.size <= MAX_KNOWN) break;
        known.delete(oldest);
      }
    },
    of: (command) => (command === undefined ? undefined : known.get(reportedStart(command))) ?? usual(),
  };
}
