import { findBinary } from "../agents/find-binary.ts";
import { agentNamed, AGENTS } from "../agents/registry.ts";
import { EXIT, isUserError, UserError } from "../lib/user-error.ts";
import { isProvable, PROVABLE } from "./proof-state.ts";
import type { Candidate } from "./prove.ts";

/** The agents to test: the named ones, which must be installed, or all that are installed. */
export function findCandidates(names: readonly string[], env: NodeJS.ProcessEnv, cwd: string): readonly Candidate[] {
  if (names.length > 0) return [...new Set(names)].map((name) => candidate(name, env, cwd));
  const found = AGENTS.filter(({ name }) => isProvable(name)).flatMap(({ name }) => {
    try {
      return [candidate(name, env, cwd)];
    } catch (error) {
      if (isUserError(error) && error.exitCode === EXIT.notFound) return [];
      throw error;
    }
  });
  if (found.length > 0) return found;
  throw new UserError("no supported agent is installed", {
    where: PROVABLE.join(", "),
    fix: "install one of them; signalbox doctor shows where it looked",
    exitCode: EXIT.notFound,
  });
}

function candidate(name: string, env: NodeJS.ProcessEnv, cwd: string): Candidate {
  const agent = agentNamed(name, "signalbox prove");
  if (!isProvable(agent.name))
    throw new UserError(`${agent.title} has no hooks, so there is nothing to test`, {
      where: "signalbox prove",
      fix: `use one of ${PROVABLE.join(", ")}`,
      exitCode: EXIT.refused,
    });
  return { agent, name: agent.name, binary: findBinary(agent, env, [cwd]) };
}
