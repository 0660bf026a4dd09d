import type { Dialect } from "../../contract/dialect.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { STAGED_SEAL } from "../sealed-answer.ts";
import { fillScript } from "./fill-script.ts";
import { refusals } from "./refusals.ts";

export interface StagedWrapperParts {
  readonly dialect: Dialect;
  /** The events that this wrapper handles. If there are several, the event is its first argument. */
  readonly events: readonly HookEventName[];
  /** The repository's hooks, by event. */
  readonly remembered: Readonly<Partial<Record<HookEventName, readonly string[]>>>;
  /** Deny tool calls on machines without signalbox. */
  readonly required: boolean;
}

/** The line that identifies a wrapper as ours. */
export const WRAPPER_LINE =
  "# Asks signalbox about an event. Written by `signalbox stage`; `signalbox unstage` takes it back.";

const NO_ANSWER = "Blocked: signalbox did not answer. Tell the user to run: signalbox doctor";
const ABSENT =
  "Blocked: this repository requires signalbox, which is not set up on this machine. Tell the user to install it and run: signalbox stage";
const WARNING =
  "signalbox: this repository uses signalbox, which is not set up on this machine, so its rules are not enforced here.";

/**
 * A script to commit: it contains nothing specific to this machine, and passes the event to the entry that `signalbox stage`
 * writes into the user's home. Any error there refuses. Without an entry it warns once a day and has no opinion.
 */
export function stagedWrapper({ dialect, events, remembered, required }: StagedWrapperParts): string {
  return fillScript("staged", {
    ...refusals(dialect, events, NO_ANSWER),
    EVENT: events.length === 1 ? (events[0] ?? "") : "",
    SEAL: STAGED_SEAL,
    AGENT: dialect.name,
    ABSENT: required ? "deny" : "warn",
    ABSENT_DENIAL: JSON.stringify(dialect.write("tool-before", { verdict: "deny", because: ABSENT })),
    ABSENT_REASON: `signalbox: ${ABSENT}`,
    WARNING,
    REMEMBERED: events.flatMap((event) => (remembered[event] ?? []).flatMap((name) => [event, name])),
  });
}

/** The entry for machines that cannot start a server: the bundle answers every call. */
export const plainEntry = (bundle: readonly string[]) => fillScript("entry-plain", { BUNDLE: bundle });

export interface ServedEntryParts {
  readonly bash: string;
  readonly bundle: readonly string[];
  readonly server: readonly string[];
  /** The folders in which servers and launches publish their addresses. */
  readonly servers: string;
  readonly launches: string;
  readonly seconds: number;
}

/** The entry that asks the session's server, and the bundle if there is none. */
export function servedEntry({ bash, bundle, server, servers, launches, seconds }: ServedEntryParts): string {
  return fillScript("entry-served", {
    BASH: bash,
    BUNDLE: bundle,
    SERVER: server,
    SERVERS: servers,
    LAUNCHES: launches,
    SECONDS: String(seconds),
    SEAL: STAGED_SEAL,
  });
}
