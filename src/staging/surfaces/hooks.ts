import { HOOK_EVENTS } from "../../agents/dialect/hook-event.ts";
import { findDialect } from "../../agents/find-dialect.ts";
import type { FileHooks, ReadFile, SettingsHooks } from "../../agents/pack/surfaces.ts";
import type { AgentName } from "../../contract/agent.ts";
import { stagedWrapper, type StagedWrapperParts, WRAPPER_LINE } from "../../hooks/client/staged-client.ts";
import type { Change, OwnFile } from "../sources/change.ts";
import type { StagedAgent } from "../sources/staged-agents.ts";

interface HookParts {
  readonly remembered: StagedWrapperParts["remembered"];
  readonly required: boolean;
  readonly read: ReadFile;
}

/** Registers all of an agent's events, with the wrappers that answer them. */
export function hookSurface({ name, surfaces }: StagedAgent, parts: HookParts): readonly Change[] {
  const { hooks } = surfaces;
  switch (hooks?.form) {
    case "settings":
      return settingsHooks(name, hooks, parts);
    case "file":
      return fileHooks(name, hooks, parts);
    case undefined:
      return [];
  }
}

function settingsHooks(agent: AgentName, place: SettingsHooks, { remembered, required }: HookParts): readonly Change[] {
  const dialect = findDialect(agent);
  const events = HOOK_EVENTS.filter((event) => dialect.events[event] !== undefined);
  const text = stagedWrapper({ dialect, events, remembered, required });
  const entries = events.map((event): Change => {
    const name = dialect.events[event] ?? event;
    const handler = {
      type: "command",
      command: place.command(event),
      timeout: place.seconds(event),
      ...place.more(event),
    };
    const matcher = event === "tool-before" || event === "tool-after" ? { matcher: "*" } : {};
    return {
      kind: "entry",
      path: place.settings,
      at: ["hooks", name],
      value: { ...matcher, hooks: [handler] },
      purpose: { agent, surface: "hooks", event: name },
    };
  });
  return [ownScript(place.wrapper, text, { agent, surface: "hooks" }), ...entries];
}

function fileHooks(agent: AgentName, place: FileHooks, { remembered, required, read }: HookParts): readonly Change[] {
  const dialect = findDialect(agent);
  const wrappers = HOOK_EVENTS.map((event) => {
    const file = place.wrappers[event] ?? event;
    const text = stagedWrapper({ dialect, events: [event], remembered, required });
    // If someone else's wrapper has this name, ours gets a different one.
    const there = read(`${place.folder}/${file}`);
    const nameInUse = there !== undefined && !there.includes(WRAPPER_LINE);
    return {
      path: `${place.folder}/${nameInUse ? "signalbox-" : ""}${file}`,
      text,
      name: dialect.events[event] ?? event,
    };
  });
  return [
    {
      ...ownScript(place.file, place.text(wrappers), { agent, surface: "hooks" }),
      executable: false,
      mark: place.mark,
    },
    ...wrappers.map(({ path, text, name }) => ownScript(path, text, { agent, surface: "hooks", event: name })),
  ];
}

const ownScript = (path: string, text: string, purpose: OwnFile["purpose"]): OwnFile => ({
  kind: "file",
  path,
  content: Buffer.from(text),
  executable: true,
  mark: WRAPPER_LINE,
  purpose,
});
