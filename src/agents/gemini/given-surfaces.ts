import type { GivenSurfaces } from "../pack/surfaces.ts";
import { dialect } from "./text-dialect.ts";

/** What a launch can give Gemini CLI. Nothing is staged for it. */
export const givenSurfaces: GivenSurfaces = {
  dialect,
  commands: { folder: ".gemini/commands", ending: ".toml", isNested: true },
  skills: { folder: ".agents/skills", alsoRead: [".gemini/skills"] },
  // A launch makes it read this file too, and that is where other agents have the staged instructions.
  instructions: { files: ["AGENTS.md"], choose: () => "AGENTS.md" },
};
