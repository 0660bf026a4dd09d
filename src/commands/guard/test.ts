import { findIdleRules } from "../../guard/policy/idle-rules.ts";
import { readPolicyFile } from "../../guard/policy/load-policy.ts";
import { mergePolicy } from "../../guard/policy/merge-policy.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { readText } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";

/** Reads a policy file, runs its examples, and names the rules that no command can bring into effect. */
export async function run({ words }: CommandInput): Promise<number> {
  const path = words[1];
  if (path === undefined)
    throw new UserError("there is no policy file to test", { fix: "write: signalbox guard test FILE" });
  const file = readPolicyFile(readText(path), path);
  const examples = file.rules.reduce((sum, rule) => sum + rule.match.length + rule.not_match.length, 0);
  const policy = mergePolicy([{ origin: "user", trusted: true, file }], { workspaceRoot: process.cwd(), home: "/" });
  const own = new Set(file.rules.map(({ id }) => id));
  const idle = findIdleRules(policy.rules).filter(({ rule }) => own.has(rule));
  for (const { rule, by, kind } of idle) process.stdout.write(`${kind}: ${rule} never counts, because of ${by}\n`);
  process.stdout.write(
    `${path}: ${file.rules.length} rules, ${examples} examples hold, ${idle.length} rules do nothing\n`,
  );
  return idle.length === 0 ? EXIT.ok : EXIT.failed;
}
