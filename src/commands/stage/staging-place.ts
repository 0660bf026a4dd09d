import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { AGENTS } from "../../agents/packs.ts";
import type { AgentName } from "../../contract/agent.ts";
import { isTrusted, readTrust, trust } from "../../guard/policy/trust.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { unsafeWorkspace } from "../../lib/path/inside.ts";
import { currentFolder, findWorkspace } from "../../lib/path/workspace.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { STAGED, TRUSTING } from "../../staging/sources/staged-agents.ts";

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

/**
 * Preserves the trust in an agent's settings across a stage or unstage, because only our own content changes. Newly
 * created settings contain nothing else and become trusted; untrusted ones stay untrusted.
 */
export function carryTrust({ root, home }: { readonly root: string; readonly home: string }): Disposable {
  const known = TRUSTING.map(({ hooks }) => {
    const path = join(root, hooks.settings);
    const before = textOf(path);
    return { path, before, trusted: before === undefined || isTrusted(readTrust(home), path, before) };
  });
  return {
    [Symbol.dispose]() {
      for (const { path, before, trusted } of known) {
        const text = textOf(path);
        if (trusted && text !== undefined && text !== before)
          trust(home, { path, text, time: new Date().toISOString() });
      }
    },
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
