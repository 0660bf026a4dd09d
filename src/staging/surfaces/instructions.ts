import type { ReadFile } from "../../agents/pack/surfaces.ts";
import type { Change } from "../sources/change.ts";
import type { GivenAgent } from "../sources/staged-agents.ts";

const NOTE = `Tool calls in this repository are judged by signalbox (rules: .signalbox/policy.yaml). A call that is denied says why and what to do instead: follow that, and do not try the same thing in another form. Files under .signalbox, .claude, .codex and .github/hooks belong to the person.`;

/** Our lines in the instruction file that an agent reads. */
export function instructionSurface(agent: GivenAgent, text: string | undefined, read: ReadFile): readonly Change[] {
  const block = text === undefined || text.trim() === "" ? NOTE : `${NOTE}\n\n${text.trim()}`;
  return [
    {
      kind: "block",
      path: agent.surfaces.instructions.choose(read),
      comment: "html",
      text: block,
      purpose: { agent: agent.name, surface: "instructions" },
    },
  ];
}
