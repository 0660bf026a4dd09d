import type { AgentHooks } from "../../contract/agent-hooks.ts";
import type { AgentInstall, ManagedSwitch } from "../../contract/agent-install.ts";
import type { Agent } from "./agent.ts";
import type { HeadlessMode } from "./headless-mode.ts";
import type { NestedCalls } from "./nested-calls.ts";
import type { Offline } from "./offline.ts";
import type { FindStartingFiles } from "./starting-files.ts";
import type { GivenSurfaces, Surfaces } from "./surfaces.ts";
import type { SwitchedOff } from "./switched-off.ts";

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
  /** The repository files from which it may start programs, for `signalbox trust`. */
  readonly startingFiles?: () => Promise<FindStartingFiles>;
}
