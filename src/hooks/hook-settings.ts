import type { OrderPolicy } from "../contract/policy-file.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { AgentHold } from "./guarded/copilot-agents.ts";
import type { ProjectHold } from "./guarded/project-hold.ts";
import { HOOK_EVENTS } from "./hook-event.ts";
import type { RegisteredHook } from "./project/hook-source.ts";

/** What is fixed when hooks are put in place, and that nothing an agent says can change. */
export interface HookSettings {
  readonly agent: string;
  /** Set in a launch of ours: the folder that the rules are measured from. Without one it is found from the agent's folder. */
  readonly workspace?: string | undefined;
  /** The user's signalbox folder. */
  readonly folder: string;
  /** A person sits at the terminal and can be asked. */
  readonly interactive: boolean;
  /** Folders that no tool may read or change: they hold these settings. */
  readonly closed: readonly string[];
  /** Files that could switch our hooks off; while one does, nothing may happen. */
  readonly switches: readonly string[];
  /** Agents that may be called. One that names servers must be trusted before. */
  readonly agents?: AgentHold | undefined;
  /** What of the repository was trusted when the agent was started with it; while something has changed, nothing may happen. */
  readonly hold?: ProjectHold | undefined;
  /** Set when the launch made Claude Code run its commands in bash. */
  readonly shell?: "bash" | undefined;
  /** True where an `allow` of ours would override deny rules of the agent's own. */
  readonly neverAllow?: boolean | undefined;
  /** The program that runs one command in the sandbox of this launch, when the policy asks for one. */
  readonly sandbox?: string | undefined;
  /** Tools that are denied in this launch alone. */
  readonly deniedTools: readonly string[];
  /** The rules of the work order that this start carries out. */
  readonly order?: OrderPolicy | undefined;
  readonly hooks: readonly RegisteredHook[];
  /** Ends every valid answer, so that nobody else can give one. */
  readonly seal: string;
}

/** Reads settings that signalbox wrote. Throws when they are not whole. */
export function parseHookSettings(text: string): HookSettings {
  const value: unknown = parseJson(text);
  if (!isSettings(value)) throw new Error("the hook settings are damaged; start the agent again");
  return value;
}

/** Only signalbox writes this file; this checks that it is whole. */
function isSettings(value: unknown): value is HookSettings {
  return (
    isRecord(value) &&
    typeof value["agent"] === "string" &&
    (value["workspace"] === undefined || typeof value["workspace"] === "string") &&
    typeof value["folder"] === "string" &&
    typeof value["interactive"] === "boolean" &&
    typeof value["seal"] === "string" &&
    Array.isArray(value["closed"]) &&
    Array.isArray(value["switches"]) &&
    Array.isArray(value["deniedTools"]) &&
    isHold(value["agents"]) &&
    isHold(value["hold"]) &&
    (value["order"] === undefined || isRecord(value["order"])) &&
    Array.isArray(value["hooks"]) &&
    value["hooks"].every(isHook)
  );
}

const isHold = (value: unknown) =>
  value === undefined || (isRecord(value) && Array.isArray(value["folders"]) && Array.isArray(value["files"]));

function isHook(value: unknown): value is RegisteredHook {
  return (
    isRecord(value) &&
    HOOK_EVENTS.some((event) => event === value["event"]) &&
    typeof value["file"] === "string" &&
    typeof value["hash"] === "string" &&
    Array.isArray(value["argv"])
  );
}
