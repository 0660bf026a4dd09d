import { claudeDialect as claude } from "../../agents/claude/dialect.ts";
import { codexDialect as codex } from "../../agents/codex/dialect.ts";
import { copilotDialect as copilot } from "../../agents/copilot/dialect.ts";
import type { Dialect } from "../../contract/dialect.ts";
import { HOOK_EVENTS } from "../../agents/dialect/hook-event.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import type { AgentName } from "../../contract/agent.ts";
import type { Change, OwnFile } from "../change.ts";
import { stagedWrapper, type StagedWrapperParts, WRAPPER_LINE } from "../staged-wrapper.ts";
import type { ReadFile } from "./instructions.ts";

interface HookParts {
  readonly remembered: StagedWrapperParts["remembered"];
  readonly required: boolean;
  readonly read: ReadFile;
}

/** Agents are told to wait twice as long as a wrapper may take: a hook that runs out of time lets the tool run. */
const SECONDS = 60;

/** Registers every event of an agent, and the wrapper that answers it. */
export function hookSurface(agent: AgentName, parts: HookParts): readonly Change[] {
  switch (agent) {
    case "claude":
      return nestedHooks(claude, CLAUDE, parts);
    case "codex":
      return nestedHooks(codex, CODEX, parts);
    case "copilot":
      return copilotHooks(parts);
    case "amplifier":
    case "native":
      return [];
  }
}

interface NestedPlace {
  readonly agent: AgentName;
  readonly settings: string;
  readonly wrapper: string;
  readonly command: (event: HookEventName) => string;
  readonly seconds: (event: HookEventName) => number;
  /** Further keys of a handler. */
  readonly more: (event: HookEventName) => Readonly<Record<string, unknown>>;
}

/** Only a tool call must not happen without an answer; a session must be able to start and end. */
const orRefuse = (event: HookEventName) =>
  event === "tool-before"
    ? " || { echo 'signalbox: the staged hook failed, so this may not happen' >&2; exit 2; }"
    : "";

const CLAUDE: NestedPlace = {
  agent: "claude",
  settings: ".claude/settings.json",
  wrapper: ".claude/hooks/signalbox",
  command: (event) => `"$CLAUDE_PROJECT_DIR"/.claude/hooks/signalbox ${event}${orRefuse(event)}`,
  seconds: () => SECONDS,
  more: (event) => (event === "tool-before" ? { onFailure: "block" } : {}),
};

/** Codex tells a hook nothing about the repository, and runs it in the folder of the call. */
const CODEX: NestedPlace = {
  agent: "codex",
  settings: ".codex/hooks.json",
  wrapper: ".codex/hooks/signalbox",
  command: (event) =>
    `d=$PWD; while [ -n "$d" ] && [ ! -x "$d/.codex/hooks/signalbox" ]; do d=\${d%/*}; done; "$d/.codex/hooks/signalbox" ${event}${orRefuse(event)}`,
  // Codex cuts this event to three seconds.
  seconds: (event) => (event === "session-end" ? 3 : SECONDS),
  more: () => ({}),
};

function nestedHooks(dialect: Dialect, place: NestedPlace, { remembered, required }: HookParts): readonly Change[] {
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
      purpose: { agent: place.agent, surface: "hooks", event: name },
    };
  });
  const purpose = { agent: place.agent, surface: "hooks" } as const;
  return [ownScript(place.wrapper, text, purpose), ...entries];
}

/** Copilot's wrappers have the names that its users know from elsewhere. */
const COPILOT_WRAPPERS: Readonly<Partial<Record<HookEventName, string>>> = {
  "session-start": "session-start",
  "session-end": "session-stop",
  "prompt-submitted": "user-prompt-submit",
  "tool-before": "pre-tool-use",
  "tool-after": "post-tool-use",
  "agent-stop": "agent-stop",
  "subagent-stop": "subagent-stop",
  "compact-before": "pre-compact",
  error: "error-occurred",
};

function copilotHooks({ remembered, required, read }: HookParts): readonly Change[] {
  const wrappers = HOOK_EVENTS.map((event) => {
    const name = COPILOT_WRAPPERS[event] ?? event;
    const text = stagedWrapper({ dialect: copilot, events: [event], remembered, required });
    // A wrapper of somebody else keeps its name, and ours stands beside it.
    const there = read(`.github/hooks/${name}`);
    const taken = there !== undefined && !there.includes(WRAPPER_LINE);
    return {
      event,
      path: `.github/hooks/${taken ? "signalbox-" : ""}${name}`,
      text,
      name: copilot.events[event] ?? event,
    };
  });
  const hooks = Object.fromEntries(
    wrappers.map(({ name, path }) => [name, [{ type: "command", bash: path, timeoutSec: SECONDS }]]),
  );
  const json = `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
  return [
    {
      ...ownScript(".github/hooks/signalbox.json", json, { agent: "copilot", surface: "hooks" }),
      executable: false,
      mark: '"version": 1,',
    },
    ...wrappers.map(({ path, text, name }) =>
      ownScript(path, text, { agent: "copilot", surface: "hooks", event: name }),
    ),
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
