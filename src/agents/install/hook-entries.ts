import { shQuote } from "../../lib/text/shell-words.ts";
import type { OwnHook } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson, stringEnd } from "../../lib/json/parse-json.ts";
import { HOOK_EVENTS } from "../pack/hook-event.ts";

/**
 * The commands in the `hooks` of an agent's settings that run on every event of their kind, whatever the tool. `own`: the
 * settings are the user's own, not the repository's. `names` says what the agent calls an event.
 */
export function hookEntries(
  settings: Readonly<Record<string, unknown>> | undefined,
  own: boolean,
  names: (event: HookEventName) => readonly (string | undefined)[],
): readonly OwnHook[] {
  const events = settings?.["hooks"];
  if (!isRecord(events)) return [];
  return HOOK_EVENTS.flatMap((event) =>
    names(event)
      .flatMap((name) => recordsIn(events[name ?? ""]))
      .filter(({ matcher }) => matcher === undefined || matcher === "" || matcher === "*")
      // Claude Code has a list within each entry.
      .flatMap((entry) => [entry, ...recordsIn(entry["hooks"])])
      .flatMap(({ command, bash }) => [command, bash].filter((text) => typeof text === "string"))
      .map((command) => ({ event, command, own })),
  );
}

const recordsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);

const VALUE = /\s*:\s*(false(?![^\s,}\]]))?/y;

/**
 * Whether a JSON text may switch every hook off. Agents accept several spellings of the key, and parsers differ in which
 * of two keys wins. So every occurrence counts, at any depth, with any value except false.
 */
export function switchesHooksOff(text: string): boolean {
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = stringEnd(text, start);
    VALUE.lastIndex = end + 1;
    const value = VALUE.exec(text);
    if (value !== null && value[1] === undefined && isSwitch(text.slice(start, end + 1))) return true;
    start = text.indexOf('"', end + 1);
  }
  return false;
}

function isSwitch(quoted: string): boolean {
  const key = quoted.includes("\\") ? String(parseJson(quoted)) : quoted;
  return key.toLowerCase().replaceAll(/[^a-z]/g, "") === "disableallhooks";
}

/**
 * The command line of our hook for an agent that runs the tool when a hook is missing, killed or silent. Only exit code 2
 * with some text stops it.
 */
export function hookCommand(event: string, wrapper: string): string {
  const called = `${shQuote(wrapper)} ${event}`;
  if (event !== "tool-before") return called;
  return `${called} || { echo 'Blocked: signalbox did not answer.' >&2; exit 2; }`;
}

/** Seconds that an agent waits for our wrapper; the wrapper itself gives up well before. */
const HOOK_SECONDS = 60;

/** The same for a stop, at which a launch may check the work. */
export const STOP_SECONDS = 3600;

export const hookSeconds = (event: string): number => (event === "agent-stop" ? STOP_SECONDS : HOOK_SECONDS);
