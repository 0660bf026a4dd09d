import type { OwnHook } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson, stringEnd } from "../../lib/json/parse-json.ts";
import { HOOK_EVENTS } from "../pack/hook-event.ts";

interface EntryPlace {
  /** The settings are the user's own, not the repository's. */
  readonly own: boolean;
  /** What the agent calls an event. */
  readonly names: (event: HookEventName) => readonly (string | undefined)[];
}

/** The commands in the `hooks` of an agent's settings that run on every event of their kind, whatever the tool. */
export function hookEntries(
  settings: Readonly<Record<string, unknown>> | undefined,
  { own, names }: EntryPlace,
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

/** Seconds that an agent waits for our wrapper; the wrapper itself gives up well before. */
const HOOK_SECONDS = 60;

/** The same for a stop, at which a launch may check the work. */
export const STOP_SECONDS = 3600;

export const hookSeconds = (event: string): number => (event === "agent-stop" ? STOP_SECONDS : HOOK_SECONDS);
