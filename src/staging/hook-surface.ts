import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findDialect } from "../agents/find-dialect.ts";
import { HOOK_EVENTS } from "../agents/pack/hook-event.ts";
import type { FileHooks, ReadFile, SettingsHooks } from "../agents/pack/surfaces.ts";
import type { AgentName } from "../contract/agent.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import { stagedWrapper, WRAPPER_LINE } from "../hooks/client/wrappers.ts";
import type { carriedHooks } from "../hooks/project/registration.ts";
import { packageFolder } from "../lib/path/package-folder.ts";
import type { Change, OwnFile } from "./sources/change.ts";
import type { StagedAgent } from "./sources/staged-agents.ts";

/** Registers all of an agent's events, with the wrappers that answer them. */
export function hookSurface(
  { name, surfaces }: StagedAgent,
  remembered: ReturnType<typeof rememberedHooks>,
  required: boolean,
  read: ReadFile,
): readonly Change[] {
  const { hooks } = surfaces;
  const wrapper = (events: readonly HookEventName[]) =>
    stagedWrapper({ dialect: findDialect(name), events, remembered, required });
  switch (hooks?.form) {
    case "settings":
      return settingsHooks(name, hooks, wrapper);
    case "file":
      return fileHooks(name, hooks, wrapper, read);
    case undefined:
      return [];
  }
}

type WrapperText = (events: readonly HookEventName[]) => string;

function settingsHooks(agent: AgentName, place: SettingsHooks, wrapper: WrapperText): readonly Change[] {
  const dialect = findDialect(agent);
  const events = HOOK_EVENTS.filter((event) => dialect.events[event] !== undefined);
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
  return [ownScript(place.wrapper, wrapper(events), { agent, surface: "hooks" }), ...entries];
}

function fileHooks(agent: AgentName, place: FileHooks, wrapper: WrapperText, read: ReadFile): readonly Change[] {
  const dialect = findDialect(agent);
  const wrappers = HOOK_EVENTS.map((event) => {
    const file = place.wrappers[event] ?? event;
    const text = wrapper([event]);
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

/** A repository's hooks by event, as recorded in its wrappers. Leaves out hooks that cannot be started. */
export function rememberedHooks(carried: ReturnType<typeof carriedHooks>) {
  const remembered: Partial<Record<HookEventName, string[]>> = {};
  for (const { event, as, broken } of carried) if (broken === undefined) (remembered[event] ??= []).push(as);
  return remembered;
}

/** Where programs of other people look for the historical hook. */
export const XPIA_FOLDER = ".claude/tools/xpia/hooks/";

/** The historical entry points, as they are in this package. */
export const xpiaSurface = (): readonly OwnFile[] =>
  ["pre_tool_use.py", "pre_tool_use_rust.py"].map((name) => {
    const path = `${XPIA_FOLDER}${name}`;
    const content = readFileSync(join(packageFolder(), path));
    return { kind: "file", path, content, executable: true, purpose: { surface: "xpia" } };
  });
