import type { AgentCall } from "../contract/agent-call.ts";
import type { Machine } from "../contract/machine.ts";
import type { Policy } from "../contract/policy.ts";
import { isBelow, realPath } from "../lib/real-path.ts";
import { plainRecipeRun } from "../lib/recipe-command.ts";
import { OWN_RECIPES, RUN_RECIPES } from "./rules/recipe-rules.ts";

/** What the judge knows about the session. */
interface SessionFacts extends Pick<Machine, "readLink" | "kind"> {
  readonly contained?: readonly unknown[] | undefined;
  readonly tainted?: boolean | undefined;
}

/**
 * The policy for a call of a recipe: for a plain one in a contained session, the preset's question does not count. Not
 * after untrusted text, and not in a folder for which other rules hold than for the session.
 */
export function recipePolicy(
  call: AgentCall,
  source: string,
  place: { policy: Policy; machine: SessionFacts },
): Policy {
  const { policy, machine } = place;
  const isContained = (machine.contained ?? []).length > 0 && machine.tainted !== true;
  const isAllowed = policy.rules.some(({ id, verdict }) => id === RUN_RECIPES && verdict === "allow");
  if (!isContained || !isAllowed || plainRecipeRun(source) === undefined || !isInWorkspace(call.cwd, place))
    return policy;
  return { ...policy, rules: policy.rules.filter(({ id, source: from }) => id !== OWN_RECIPES || from !== "preset") };
}

/** Whether a recipe in this folder would have the same workspace, and so the same policy files. */
function isInWorkspace(
  cwd: string | undefined,
  { policy, machine }: { readonly policy: Policy; readonly machine: SessionFacts },
): boolean {
  if (cwd === undefined) return false;
  const root = realPath(policy.workspaceRoot, "/", machine.readLink);
  let folder = realPath(cwd, "/", machine.readLink);
  if (!isBelow(folder, root)) return false;
  for (; folder !== root && folder.length > root.length; folder = folder.slice(0, folder.lastIndexOf("/")))
    if ([".git", ".signalbox/policy.yaml"].some((name) => machine.kind?.(`${folder}/${name}`) !== undefined))
      return false;
  return true;
}
