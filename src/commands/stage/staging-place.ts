import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { AGENTS } from "../../agents/registry.ts";
import type { AgentName } from "../../contract/agent.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { unsafeWorkspace } from "../../lib/unsafe-workspace.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { STAGED } from "../../staging/sources/staged-agents.ts";

/** The repository of the current folder, and the user's signalbox folder. Refuses a home folder and similar places. */
export function repositoryHere(): { readonly root: string; readonly home: string } {
  const root = findWorkspace(realpathSync(currentFolder()));
  const wide = unsafeWorkspace(root, homedir());
  if (wide === undefined) return { root, home: signalboxHome() };
  throw new UserError(wide, { where: root, fix: "cd to a project folder", exitCode: EXIT.refused });
}

/** The named agents, each checked to be a known one that reads something from a repository. */
export function stagedAgents(words: readonly string[]): readonly AgentName[] {
  return [...new Set(words.map(stagedAgent))];
}

function stagedAgent(word: string): AgentName {
  const staged = STAGED.find(({ name }) => name === word);
  if (staged !== undefined) return staged.name;
  const others = STAGED.map(({ name }) => name).join(", ");
  const known = AGENTS.find(({ name }) => name === word);
  if (known === undefined) throw new UserError("unknown agent", { where: word, fix: `use one of ${others}` });
  throw new UserError(`nothing can be staged for ${known.title}`, {
    where: word,
    fix: `to put it under the rules, start it with: signalbox ${word} (stage is for ${others})`,
  });
}
