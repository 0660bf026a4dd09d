import type { AgentName } from "../../contract/agent.ts";
import type { Change } from "../change.ts";

const NOTE = `Tool calls in this repository are judged by signalbox (rules: .signalbox/policy.yaml). A call that is denied says why and what to do instead: follow that, and do not try the same thing in another form. Files under .signalbox, .claude, .codex and .github/hooks belong to the person.`;

/** What the files of a repository say, or undefined when there is no such file. */
export type ReadFile = (path: string) => string | undefined;

/** Our lines in the file that an agent reads. */
export function instructionSurface(agent: AgentName, text: string | undefined, read: ReadFile): readonly Change[] {
  const block = text === undefined || text.trim() === "" ? NOTE : `${NOTE}\n\n${text.trim()}`;
  return [
    {
      kind: "block",
      path: instructionFile(agent, read),
      comment: "html",
      text: block,
      purpose: { agent, surface: "instructions" },
    },
  ];
}

/**
 * Claude Code reads AGENTS.md only where there is no CLAUDE.md, so none is made; Copilot reads every one of them, so it
 * gets a file of its own only where it already has one.
 */
function instructionFile(agent: AgentName, read: ReadFile): string {
  const claude = read("CLAUDE.md");
  if (agent === "claude" && claude !== undefined && !/^@(?:\.\/)?AGENTS\.md\s*$/m.test(claude)) return "CLAUDE.md";
  const copilot = ".github/copilot-instructions.md";
  if (agent === "copilot" && read("AGENTS.md") === undefined && read(copilot) !== undefined) return copilot;
  return "AGENTS.md";
}
