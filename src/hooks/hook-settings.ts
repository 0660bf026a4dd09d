import type { HeldPart } from "../contract/containment.ts";
import type { OrderPolicy } from "../contract/policy-file.ts";
import type { OwnRules } from "../contract/own-rules.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { StartFacts } from "../contract/agent-hooks.ts";
import { HOOK_EVENTS } from "../agents/dialect/hook-event.ts";
import type { RegisteredHook } from "./project/hook-source.ts";

/** Settings that are fixed when hooks are installed. Nothing that the agent sends can change them. */
export interface HookSettings extends StartFacts {
  readonly agent: string;
  /** The root for the rules. Set only in our own launches; otherwise it is derived from the agent's folder. */
  readonly workspace?: string | undefined;
  /** The user's signalbox folder. */
  readonly folder: string;
  /** True when a person is at the terminal and can approve calls. */
  readonly interactive: boolean;
  /** Folders that no tool may read or change, because they contain these settings. */
  readonly closed: readonly string[];
  /** The program that runs one command in this launch's sandbox; missing where commands are not contained. */
  readonly sandbox?: string | undefined;
  /** What that sandbox holds. */
  readonly held?: readonly HeldPart[] | undefined;
  /** The agent's own sandbox contains its commands, so none is rewritten. */
  readonly heldByAgent?: boolean | undefined;
  /** True when the user wants no command to run without a sandbox. */
  readonly requiresSandbox?: boolean | undefined;
  /** The agent's own rules about commands, as they were at the launch. Set when commands are rewritten. */
  readonly ownRules?: OwnRules | undefined;
  /** Commands also run in the agent's own sandbox, in which no recipe can run. */
  readonly ownSandbox?: true | undefined;
  /** How a recipe is started from this session, and bound to it. Set only in our own launches. */
  readonly recipes?: { readonly program: string; readonly variables: Readonly<Record<string, string>> } | undefined;
  /** Tools that are denied in this launch only. */
  readonly deniedTools: readonly string[];
  /** The rules of the work order that this launch executes. */
  readonly order?: OrderPolicy | undefined;
  readonly hooks: readonly RegisteredHook[];
  /** Ends every valid answer, so that nobody else can forge one. */
  readonly seal: string;
}

/** Reads settings that signalbox wrote. Throws when they are corrupt. */
export function parseHookSettings(text: string): HookSettings {
  const value: unknown = parseJson(text);
  if (!isSettings(value) || isOfEarlierVersion(value))
    throw new Error("the hook settings are corrupt; restart the agent");
  return value;
}

/** Only signalbox writes this file, so this only checks that it is complete. */
function isSettings(value: unknown): value is HookSettings {
  return (
    isRecord(value) &&
    typeof value["agent"] === "string" &&
    (value["workspace"] === undefined || typeof value["workspace"] === "string") &&
    typeof value["folder"] === "string" &&
    typeof value["interactive"] === "boolean" &&
    typeof value["seal"] === "string" &&
    ["closed", "switches", "deniedTools"].every((name) => Array.isArray(value[name])) &&
    isOwnRules(value["ownRules"]) &&
    isFileList(value["trustedAgents"]) &&
    isFileList(value["trustedFiles"]) &&
    (value["order"] === undefined || isRecord(value["order"])) &&
    Array.isArray(value["hooks"]) &&
    value["hooks"].every(isHook)
  );
}

/** It kept what is trusted under other names. Without that, changes would go unnoticed. */
const isOfEarlierVersion = (value: object) => "hold" in value || "agents" in value;

const isFileList = (value: unknown) =>
  value === undefined || (isRecord(value) && Array.isArray(value["folders"]) && Array.isArray(value["files"]));

const isOwnRules = (value: unknown) =>
  value === undefined ||
  (isRecord(value) && ["deny", "ask", "allow", "sources"].every((name) => Array.isArray(value[name])));

function isHook(value: unknown): value is RegisteredHook {
  return (
    isRecord(value) &&
    HOOK_EVENTS.some((event) => event === value["event"]) &&
    typeof value["file"] === "string" &&
    typeof value["hash"] === "string" &&
    Array.isArray(value["argv"])
  );
}
