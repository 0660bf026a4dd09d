import { MAX_ROUNDS } from "../../backplane/run/run-parts.ts";
import { UserError } from "../../lib/user-error.ts";
import { textFlag } from "../flags.ts";
import { list } from "./order.ts";

type Flags = Readonly<Record<string, unknown>>;

export const ROUNDS_HELP = "with --accept: how many times the agent may try until the check passes";

/** How many rounds `auto` has when it has a check. */
export const AUTO_ROUNDS = "5";

/** The flags of `auto`. Without a check there is nothing to try again for. */
export const withAutoRounds = (flags: Flags): Flags =>
  flags["rounds"] === undefined && list(flags, "accept").length > 0 ? { ...flags, rounds: AUTO_ROUNDS } : flags;

/** The number of rounds; 1 when the flag was not given. */
export function roundsFlag(flags: Flags): number {
  const text = textFlag(flags, "rounds");
  if (text === undefined) return 1;
  const rounds = Number(text);
  if (!/^\d{1,3}$/.test(text) || rounds < 1 || rounds > MAX_ROUNDS)
    throw new UserError(`--rounds needs a whole number from 1 to ${MAX_ROUNDS}`, {
      where: "--rounds",
      fix: "for example --rounds 3",
    });
  if (list(flags, "accept").length === 0)
    throw new UserError("--rounds needs a check that decides whether the work is done", {
      where: "--rounds",
      fix: 'add one, for example --accept "npm test"',
    });
  return rounds;
}
