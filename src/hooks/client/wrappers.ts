import { HOOK_EVENTS, isStop } from "../../agents/pack/hook-event.ts";
import type { Dialect, HookEventName } from "../../contract/hook-event.ts";
import { STAGED_SEAL } from "../server-protocol.ts";
import { fillScript, type ScriptValues } from "./fill-script.ts";

/** How the wrapper connects to the server: `nc` over a Unix socket, otherwise bash itself over a loopback port. */
export type HookClient =
  | { readonly kind: "nc"; readonly program: string; readonly socket: string }
  | { readonly kind: "bash"; readonly program: string; readonly port: number };

export interface WrapperParts {
  readonly dialect: Dialect;
  readonly client: HookClient | undefined;
  /** Absolute paths, so that a call never searches PATH. */
  readonly node: string;
  readonly bundle: string;
  readonly settings: string;
  readonly token: string;
  readonly seal: string;
  /** A program and its arguments, the last of them a number of seconds, that kill the bundle if it hangs. */
  readonly deadline: readonly string[];
  readonly seconds: number;
  /** The same for a stop, at which the launch may check the work. */
  readonly stopSeconds: number;
}

const NO_LAUNCH_ANSWER = "Blocked: signalbox did not answer. Tell the user that the guard is broken.";

/** The script that an agent calls. Reads its input once, asks the server, then the bundle, and refuses if both fail. */
export function wrapperText(parts: WrapperParts): string {
  const { dialect, client, node, bundle, settings, token, seal, deadline, stopSeconds } = parts;
  const events = HOOK_EVENTS.filter((event) => dialect.events[event] !== undefined);
  const values = {
    ...refusals(dialect, events, NO_LAUNCH_ANSWER),
    TOKEN: token,
    SEAL: seal,
    SECONDS: String(parts.seconds),
    STOP_SECONDS: String(stopSeconds),
    BUNDLE: [...deadline, node, bundle, "--settings", settings],
  };
  if (client?.kind === "bash")
    return fillScript("launch-bash", { ...values, BASH: client.program, PORT: String(client.port) });
  return fillScript("launch-sh", {
    ...values,
    NC: client === undefined ? [] : [...after(deadline, stopSeconds + 5), client.program],
    SOCKET: client?.socket ?? "",
  });
}

const after = (deadline: readonly string[], seconds: number) =>
  deadline.length === 0 ? [] : [...deadline.slice(0, -1), String(seconds)];

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

const NO_STAGED_ANSWER = "Blocked: signalbox did not answer. Tell the user to run: signalbox doctor";

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
    ...refusals(dialect, events, NO_STAGED_ANSWER),
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

interface ServedEntryParts {
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

/** A script's reply when it gets no answer, for each event that requires one. Empty for other events. */
function refusals(dialect: Dialect, events: readonly HookEventName[], because: string): ScriptValues {
  const refusal = (event: HookEventName) => {
    if (!events.includes(event)) return "";
    const answer = isStop(event) ? { block: because } : { verdict: "deny" as const, because };
    return JSON.stringify(dialect.write(event, answer));
  };
  return {
    REFUSED_TOOL: refusal("tool-before"),
    REFUSED_STOP: refusal("agent-stop"),
    REFUSED_SUBAGENT_STOP: refusal("subagent-stop"),
    NO_ANSWER: because,
  };
}
