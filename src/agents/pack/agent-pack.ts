import type { AgentHooks } from "../../contract/agent-hooks.ts";
import type { AgentInstall, ManagedSwitch } from "../../contract/agent-install.ts";
import type { Agent } from "./agent.ts";
import type { HeadlessMode } from "./headless-mode.ts";
import type { NestedCalls } from "./nested-calls.ts";
import type { Offline } from "./offline.ts";
import type { FindStartingFiles } from "./starting-files.ts";
import type { Surfaces } from "./surfaces.ts";
import type { SwitchedOff } from "./switched-off.ts";

/** Everything that only one agent needs, as data and pure functions. What is needed seldom is loaded when it is used. */
export interface AgentPack {
  readonly program: Agent;
  /** Undefined for an agent that has no hooks. Exported by the pack's `hooks.ts`: the hook bundle holds only that file. */
  readonly hooks?: AgentHooks;
  /** Undefined for an agent whose tool calls cannot be guarded. */
  readonly install?: () => Promise<AgentInstall>;
  /** The administrator's file that would keep our hooks out of this agent, if there is one. */
  readonly managedSwitch?: (root: string) => ManagedSwitch | undefined;
  /** Its headless mode, for work orders; none where its records cannot be read or it has a host of its own. */
  readonly headless?: () => Promise<HeadlessMode>;
  /** How a proof runs it offline; none for an agent that has no hook to prove anything about. */
  readonly offline?: () => Promise<Offline>;
  /** Settings of the user's own that would switch its hooks off. */
  readonly switchedOff?: readonly SwitchedOff[];
  /** What it reads in a repository. */
  readonly surfaces?: Surfaces;
  /** For an agent that other programs call as if it were another one: `signalbox nested-NAME` takes such calls. */
  readonly nested?: () => Promise<NestedCalls>;
  /** The files of a repository with which it may start programs, for `signalbox trust`. */
  readonly startingFiles?: () => Promise<FindStartingFiles>;
}
