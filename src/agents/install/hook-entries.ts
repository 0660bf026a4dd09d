import { HOOK_EVENTS } from "../dialect/hook-event.ts";
import type { OwnHook } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/is-record.ts";

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
