import { isDangerous } from "../../lib/dangerous-variables.ts";
import { UserError } from "../../lib/user-error.ts";

/** Variables that decide which program runs, where rules are found, or whose processes are whose. */
const REFUSED = /^(?:SIGNALBOX_.*|AMPLIHACK_.*|ABP_.*|PATH|HOME|TMPDIR|SHELL|IFS)$/;

/** An order may set variables for its work, but none that load code into a program, redirect it, or get it out of the rules. */
export function checkOrderEnvironment(env: Readonly<Record<string, string>>): void {
  const refused = Object.keys(env).filter((name) => {
    const upper = name.toUpperCase();
    return REFUSED.test(upper) || isDangerous(upper);
  });
  if (refused.length === 0) return;
  throw new UserError(`an order may not set ${refused.join(", ")}`, {
    where: "config.env",
    fix: "set it in the environment of signalbox itself, if it is meant to hold",
  });
}
