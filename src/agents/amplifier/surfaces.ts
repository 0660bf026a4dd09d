import type { Surfaces } from "../pack/surfaces.ts";

export const surfaces: Surfaces = {
  instructions: { files: ["AGENTS.md"], choose: () => "AGENTS.md" },
  places: ["AGENTS.md"],
  note: "Amplifier has no hooks: it only got instructions, and its tool calls are not guarded.",
};
