import type { AgentHooks, AgentInstall, ManagedSwitch } from "../../contract/agent-install.ts";
import type { Agent } from "./agent.ts";
import type { Offline } from "./offline.ts";
import type { HeadlessMode } from "./records.ts";
import type { RuleImport } from "./rule-import.ts";
import type { GivenSurfaces, Surfaces } from "./surfaces.ts";

/** Everything specific to one agent, as data and pure functions. Rarely used parts are loaded on demand. */
export interface AgentPack {
  readonly program: Agent;
  /** Undefined for an agent without hooks. Exported by `hooks.ts`, the pack's only file in the hook bundle. */
  readonly hooks?: AgentHooks;
  /** Undefined for an agent whose tool calls cannot be guarded. */
  readonly install?: () => Promise<AgentInstall>;
  /** The administrator's file that would disable our hooks in this agent, if there is one. */
  readonly managedSwitch?: (root: string) => ManagedSwitch | undefined;
  /** Its headless mode, for work orders. Undefined when its records cannot be parsed or it has its own host. */
  readonly headless?: () => Promise<HeadlessMode>;
  /** How a proof runs it offline. Undefined for an agent without hooks, where there is nothing to prove. */
  readonly offline?: () => Promise<Offline>;
  /** The user's own settings that would disable its hooks. */
  readonly switchedOff?: readonly SwitchedOff[];
  /** What it reads from a repository. */
  readonly surfaces?: Surfaces;
  /** For an agent that nothing is staged for: what a launch can give it. */
  readonly givenSurfaces?: GivenSurfaces;
  /** For an agent that other programs call as if it were a different one: `signalbox nested-NAME` handles such calls. */
  readonly nested?: () => Promise<NestedCalls>;
  /** Undefined for an agent whose rules cannot be imported. */
  readonly ruleImport?: () => Promise<RuleImport>;
  /** The repository files from which it may start programs, for `signalbox trust`. */
  readonly startingFiles?: () => Promise<FindStartingFiles>;
}

/** A settings file of the user that would make an agent skip hooks. */
export interface SwitchedOff {
  /** Relative to the home folder, or to the folder that a variable names. */
  readonly path: string;
  readonly variable?: string;
  readonly off: RegExp;
}

/** Finds the files of a workspace from which an agent may start programs, so that the user can trust them. */
export type FindStartingFiles = (place: { readonly cwd: string; readonly workspace: string }) => {
  readonly files: readonly StartingFile[];
  /** Folders that cannot be trusted file by file. */
  readonly unfit: readonly string[];
};

export interface StartingFile {
  readonly path: string;
  /** Its content, if it has already been read. */
  readonly text?: string;
  /** A description, if there is more to say than that it may start programs. */
  readonly what?: string;
}

/** Turns the calls of a program that starts this agent as if it were a different one into a guarded start. */
export interface NestedCalls {
  /** Rewrites the program's argv. Other words keep their order. */
  readonly normaliseNested: (argv: readonly string[]) => NestedLaunch;
  /** The complete argv of the start. */
  readonly nestedArgv: (nested: NestedLaunch) => string[];
  /** Flags for a caller that made no choice about tools or paths. */
  readonly PERMISSIVE_PREFIX: readonly string[];
}

export interface NestedLaunch {
  /** The rest of the caller's argv for the agent, without the prompt. */
  readonly flags: readonly string[];
  /** System parts, then prompt parts, separated by a blank line; undefined when there are none. */
  readonly prompt: string | undefined;
  /** True when the caller made no choice about tools or paths, so that the permissive prefix applies. */
  readonly undecided: boolean;
  readonly forbiddenTools: readonly string[];
}
