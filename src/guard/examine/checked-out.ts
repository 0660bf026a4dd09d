import { join, relative } from "node:path";
import { fold } from "../../lib/fold-path.ts";
import { nearestRepository } from "../../lib/nearest-repository.ts";
import { isBelow, realPath } from "../../lib/real-path.ts";
import { type Effect, outside } from "../../shell/model/effect.ts";
import { UNKNOWN } from "../../shell/model/word.ts";
import { deniedBy } from "../rules/ready-policy.ts";
import type { Place } from "./examination.ts";

type ChecksOut = Extract<Effect, { readonly kind: "checks-out" }>;

/**
 * In a sandbox, git cannot replace a protected file of another revision. It leaves the old one behind as a change, and
 * the next commit would take it for one. So such a checkout has to run outside. Nothing is said where git cannot tell.
 */
export function checkedOutNeeds({ diffs }: ChecksOut, { exam, state }: Place): readonly Effect[] {
  const { machine, inside, policy } = exam;
  if (inside === undefined || machine.gitChanges === undefined || state.cwd.includes(UNKNOWN)) return [];
  const cwd = realPath(state.cwd, "/", machine.readLink);
  const top = nearestRepository(cwd, machine.kind)?.folder;
  // Only the workspace's own repository: an agent may have made another one.
  if (top === undefined || !inside.roots.some((root) => isBelow(root, top))) return [];
  for (const words of diffs) {
    const changed = machine.gitChanges(cwd, words);
    if (changed === undefined) continue;
    const file = changed
      .map((name) => join(top, name))
      .find(
        (path) =>
          inside.roots.some((root) => isBelow(path, root)) &&
          policy.denyWrite.some((list) => deniedBy(list, fold(path)) !== undefined),
      );
    return file === undefined ? [] : [needOf(relative(top, file))];
  }
  return [];
}

const needOf = (name: string) =>
  outside(`the protected file ${name}`, `needs to change ${name}, which is protected inside the sandbox`);
