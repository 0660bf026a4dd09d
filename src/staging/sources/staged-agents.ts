import type { AgentPack } from "../../agents/pack/agent-pack.ts";
import { PACKS } from "../../agents/packs.ts";
import type { SettingsHooks, Surfaces } from "../../agents/pack/surfaces.ts";
import type { AgentName } from "../../contract/agent.ts";

/** An agent that reads something from a repository, even if only instructions. */
export interface StagedAgent {
  readonly name: AgentName;
  readonly surfaces: Surfaces;
}

const staged = ({ program, surfaces }: AgentPack): readonly StagedAgent[] =>
  surfaces === undefined ? [] : [{ name: program.name, surfaces }];

/** All such agents, in the order of the packs. */
export const STAGED: readonly StagedAgent[] = PACKS.flatMap(staged);

export const STAGED_AGENTS = STAGED.map(({ name }) => name);

/** Agents whose hooks can be committed to a repository. */
export const HOOKED_AGENTS = STAGED.filter(({ surfaces }) => surfaces.hooks !== undefined).map(({ name }) => name);

/** Agents that load the settings with our hooks only if those are trusted. */
export const TRUSTING: readonly { readonly agent: StagedAgent; readonly hooks: SettingsHooks }[] = STAGED.flatMap(
  (agent) => {
    const { hooks } = agent.surfaces;
    return hooks?.form === "settings" && hooks.needsTrust === true ? [{ agent, hooks }] : [];
  },
);
