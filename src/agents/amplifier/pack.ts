import type { AgentPack } from "../pack/agent-pack.ts";
import type { Surfaces } from "../pack/surfaces.ts";
import { amplifier } from "./program.ts";

const surfaces: Surfaces = {
  instructions: { files: ["AGENTS.md"], choose: () => "AGENTS.md" },
  places: ["AGENTS.md"],
  note: "Amplifier has no hooks: it only got instructions, and its tool calls are not guarded.",
};

export const amplifierPack: AgentPack = {
  program: amplifier,
  headless: async () => (await import("./records.ts")).headless,
  surfaces,
};
