import { isUserError } from "../../lib/user-error.ts";
import { addToPolicy, NEW_POLICY } from "../allow/add-to-policy.ts";
import { NOTHING_ADDED } from "../allow/policy-addition.ts";
import { readPolicyFile } from "../policy/load-policy.ts";

/** The words of a rule, and whether it stands for that one argv alone. */
export interface RuleShape {
  readonly argv: readonly string[];
  readonly exact: boolean;
}

/**
 * The narrowest rules that cover these argvs: an argv that stands alone exactly, and several that share program and
 * first word by the words that they have in common.
 */
export function generalise(argvs: readonly (readonly string[])[]): readonly RuleShape[] {
  const groups = Map.groupBy(argvs, ([program, first]) => JSON.stringify([program, first]));
  return [...groups.values()].flatMap((group) => {
    const exact = group.map((argv) => ({ argv, exact: true }));
    if (group.length < 2) return exact;
    const shared = { argv: group.reduce(commonStart), exact: false };
    return shared.argv.length >= 2 && isNarrow(shared) ? [shared] : exact;
  });
}

function commonStart(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((word, index) => word !== other[index]);
  return end === -1 ? one : one.slice(0, end);
}

export function covers({ argv, exact }: RuleShape, words: readonly string[]): boolean {
  return (!exact || argv.length === words.length) && argv.every((word, index) => word === words[index]);
}

/** Whether a policy file may contain it: `node` or `bash -c` alone may not. */
function isNarrow({ argv, exact }: RuleShape): boolean {
  try {
    const rules = [{ id: "learnt", argv, exact, because: "learnt" }];
    readPolicyFile(addToPolicy(NEW_POLICY, { ...NOTHING_ADDED, rules }), "learnt");
    return true;
  } catch (error) {
    if (isUserError(error)) return false;
    throw error;
  }
}
