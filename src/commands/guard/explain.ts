import { explainToPerson } from "../../guard/explain.ts";
import { commandScreen } from "../../screen/screen-command.ts";
import { screen } from "../../screen/screen.ts";
import { judge } from "../../guard/judge/judge.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { chosenPolicy } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";

/** Shows what a shell command would do and whether it is allowed. Exits with 0 when allowed, otherwise 3. */
export async function run({ passed, flags }: CommandInput): Promise<number> {
  if (passed === undefined || passed.length === 0)
    throw new UserError("no command to explain", { fix: "try: signalbox guard explain -- 'COMMAND'" });
  const [only = ""] = passed;
  const command = passed.length === 1 ? only : passed.map(shQuote).join(" ");
  const { policy } = chosenPolicy(flags);
  const decision = judge({ tool: "Bash", input: { command }, cwd: currentFolder() }, policy, {
    ...realMachine,
    screen: commandScreen(screen),
  });
  process.stdout.write(flags["json"] === true ? `${JSON.stringify(decision)}\n` : explainToPerson(command, decision));
  return decision.verdict === "allow" ? EXIT.ok : EXIT.refused;
}
