import { homedir } from "node:os";
import { join } from "node:path";
import { HOOK_EVENTS } from "../agents/pack/hook-event.ts";
import type { AgentCall, CallContainment, HeldPart, Need } from "../contract/agent-call.ts";
import type { StartFacts } from "../contract/agent-install.ts";
import type { SessionWatch } from "../contract/hook-event.ts";
import type { OwnRules } from "../contract/own-rules.ts";
import type { OrderPolicy, Policy } from "../contract/policy.ts";
import type { CommandScreen } from "../contract/screening.ts";
import type { SealFacts } from "../contract/seal.ts";
import type { Decision, Verdict } from "../contract/verdict.ts";
import type { AuditSegment } from "../guard/audit/write-audit.ts";
import { MANAGED_POLICY, readCompiled, workspacePolicy } from "../guard/policy/compiled-policy.ts";
import { fileState } from "../lib/files/file-state.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import type { ContainedSession } from "../sandbox/contained-session.ts";
import type { HookResult, RegisteredHook } from "./project/find-hooks.ts";

/** The parts of a launch's sandbox that a judged call needs. */
interface SessionContainment {
  readonly recoverable?: CallContainment["recoverable"];
  /** Prepares to lend what a command needs; returns the words that go in front of it. */
  readonly lend: (needs: readonly Need[], command: string) => Promise<readonly string[]>;
  /** Called with the agent's id of the conversation that a call belongs to. */
  readonly saw: (session: string) => void;
  /** Settles when it is known what could be restored. */
  readonly ready: Promise<unknown>;
  /** Called around every call that may change files. */
  readonly began: (call: string) => void;
  readonly ended: (call: string) => void;
  /** What the sandbox has refused since the last call, for the output of the command that has just ended. */
  readonly takeNotes: ContainedSession["takeNotes"];
  readonly noteCaller: ContainedSession["noteCaller"];
  /** Records a command that runs outside. */
  readonly noteOutside: (command: string) => void;
}

/** A call with the id that the agent's own records have for it, if its hooks report one. */
interface ReportedCall extends AgentCall {
  readonly id?: string | undefined;
  /** The sub-agent that makes it. */
  readonly by?: string | undefined;
}

/** Our final answer to a call, and how far the log goes with it. */
interface ToldAnswer {
  readonly verdict: Verdict;
  readonly because: string;
  readonly logged?: SealFacts["audit_head"] | undefined;
  /** Who decides after us: the person, whom the agent asks for us, or the agent by rules of its own. */
  readonly left?: "person" | "agent" | undefined;
}

/** Everything needed to answer a hook call, from its dialect down to the judge. */
export interface HookContext {
  readonly screen: CommandScreen;
  /** Takes known secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly settings: HookSettings;
  readonly workspaceOf: (cwd: string) => string;
  readonly policyFor: (workspace: string) => Policy;
  /** This process's log. Throws when it cannot be opened; the call is then denied. */
  readonly audit: () => AuditSegment;
  /** A second judge, for the run that this launch belongs to. The stricter decision wins. */
  readonly alsoJudge?: ((call: ReportedCall, containment: CallContainment) => Decision) | undefined;
  /** Called once for every call, with the call as the model made it and our final answer. */
  readonly answered?: ((call: ReportedCall, answer: ToldAnswer) => void) | undefined;
  /** What only the process of the launch can do about its sandbox. */
  readonly session?: SessionContainment | undefined;
  /** Called with the agent's id of the conversation in which its person's prompts are answered. */
  readonly talked?: ((session: string) => void) | undefined;
  /** Who started the session, where it is a launch. */
  readonly watch?: SessionWatch | undefined;
  /** Where a second hook asks, because the first one cannot both rewrite a command and ask. */
  readonly questions?: { readonly hold: (command: string, because: string) => void } | undefined;
  /** The agent's own rules as they are now. Without it, those of the settings count, as long as nothing has changed. */
  readonly ownRules?: (() => OwnRules) | undefined;
  /** Runs a hook with the agent's input, unchanged. */
  readonly run: (hook: RegisteredHook) => Promise<HookResult>;
  /** Looks for injected instructions in untrusted text; undefined when there are none. */
  readonly screenText: (text: string) => string | undefined;
  /** Warns the user, not the agent. */
  readonly warn: (text: string) => void;
}

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

/** The policy files that apply in a workspace. */
export const policyFiles = (folder: string, workspace: string) => [
  MANAGED_POLICY,
  join(folder, "policy.yaml"),
  workspacePolicy(workspace),
];

/** The compiled policy of a workspace, which needs no YAML parser. Throws when it is missing or out of date. */
export function compiledPolicy(folder: string, workspaceRoot: string): Policy {
  return readCompiled({ folder, workspaceRoot, home: homedir(), candidates: policyFiles(folder, workspaceRoot) });
}

/** The agent's own rules as they are now. They are only read again after one of their sources has changed. */
export function liveOwnRules(first: OwnRules, read: () => OwnRules): () => OwnRules {
  let rules = first;
  return () => (changedSource(rules) === undefined ? rules : (rules = read()));
}

/** The rules as they were at the launch, for the hook bundle, which cannot read them again. A change makes them unreadable. */
export function launchedOwnRules(rules: OwnRules): OwnRules {
  const changed = changedSource(rules);
  if (changed === undefined) return rules;
  return { ...rules, unreadable: { rule: "a rule that has changed since the launch", where: changed } };
}

const changedSource = ({ sources }: OwnRules) => sources.find(({ path, state }) => fileState(path) !== state)?.path;
