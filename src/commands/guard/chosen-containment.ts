import { HELD_PARTS, type HeldPart } from "../../contract/containment.ts";
import { UserError } from "../../lib/user-error.ts";
import type { CommandInput } from "../command-module.ts";

/** The parts of the sandbox that `--contained` asks to judge with: all of them, or none. */
export function chosenContainment(flags: CommandInput["flags"]): readonly HeldPart[] | undefined {
  const { contained = "no" } = flags;
  if (contained === "yes") return HELD_PARTS;
  if (contained === "no") return undefined;
  throw new UserError(`--contained takes yes or no, not ${JSON.stringify(contained)}`, {
    fix: "use --contained yes or --contained no",
  });
}
