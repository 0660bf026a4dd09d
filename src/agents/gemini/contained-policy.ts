import { join } from "node:path";
import { tomlString } from "../../lib/inline-toml.ts";
import { shQuote } from "../../lib/sh-quote.ts";

/**
 * A rule for a contained start: commands that our hook has rewritten to run in the sandbox run unasked. The user's own
 * rules were held on the command as it was. The `!{...}` of a command file, which calls no hook, is not covered.
 */
export function containedPolicy(signalboxHome: string): string {
  const program = `${shQuote(join(signalboxHome, "s", NAME, "sandbox"))} `;
  const text = JSON.stringify(program).slice(1, -1);
  const pattern = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replace(NAME, "[0-9a-f]{6}");
  return [
    "[[rule]]",
    'toolName = "run_shell_command"',
    'decision = "allow"',
    // Above the user's own rules, which would only see the rewritten text; below an administrator's.
    "priority = 999",
    `commandRegex = ${tomlString(pattern)}`,
    "allowRedirection = true",
    "",
  ].join("\n");
}

const NAME = "NAMEOFSESSION";
