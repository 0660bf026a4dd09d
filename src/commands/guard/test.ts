import { checkPolicy } from "../../guard/policy/active-policy.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { readText } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";

/** Reads a policy file, runs its examples, and lists the rules that no command can trigger. */
export async function run({ words }: CommandInput): Promise<number> {
  const path = words[1];
  if (path === undefined) throw new UserError("no policy file given", { fix: "try: signalbox guard test FILE" });
  const { rules, examples, idle } = checkPolicy(readText(path), path);
  for (const { rule, by, kind } of idle) process.stdout.write(`${kind}: ${rule} has no effect because of ${by}\n`);
  process.stdout.write(`${path}: ${rules} rules, ${examples} examples pass, ${idle.length} rules have no effect\n`);
  return idle.length === 0 ? EXIT.ok : EXIT.failed;
}
