import type { AgentPack } from "../../agents/pack/agent-pack.ts";
import { PACKS } from "../../agents/packs.ts";
import type { GivenSurfaces, SettingsHooks, Surfaces, TextDialect } from "../../agents/pack/surfaces.ts";
import type { AgentName } from "../../contract/agent.ts";

/** An agent that a launch can give texts. */
export interface GivenAgent {
  readonly name: AgentName;
  /** Its name for people. */
  readonly title: string;
  readonly surfaces: GivenSurfaces;
}

/** An agent that reads something from a repository, even if only instructions. */
export interface StagedAgent extends GivenAgent {
  readonly surfaces: Surfaces;
}

const staged = ({ program, surfaces }: AgentPack): readonly StagedAgent[] =>
  surfaces === undefined ? [] : [{ name: program.name, title: program.title, surfaces }];

/** All such agents, in the order of the packs. */
export const STAGED: readonly StagedAgent[] = PACKS.flatMap(staged);

/** Those, and agents that get something from a launch alone. */
export const GIVEN: readonly GivenAgent[] = PACKS.flatMap(({ program, surfaces, givenSurfaces = surfaces }) =>
  givenSurfaces === undefined ? [] : [{ name: program.name, title: program.title, surfaces: givenSurfaces }],
);

/** The words of every agent, because a source may be written in those of any. */
export const DIALECTS: readonly TextDialect[] = GIVEN.flatMap(({ surfaces }) => surfaces.dialect ?? []);

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
