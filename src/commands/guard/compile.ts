import { dirname } from "node:path";
import { compiledFile, writeCompiled } from "../../guard/policy/compiled-policy.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { chosenPolicy } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";

/** Writes the active policy in the compiled form, which hooks read without a YAML parser. */
export async function run({ flags }: CommandInput): Promise<number> {
  const active = chosenPolicy(flags);
  const text = writeCompiled(active);
  const out =
    typeof flags["out"] === "string" ? flags["out"] : compiledFile(signalboxHome(), active.policy.workspaceRoot);
  if (out === "-") {
    process.stdout.write(text);
    return EXIT.ok;
  }
  makeFolder(dirname(out));
  // Hooks may be reading it right now.
  atomicWrite(out, text);
  process.stdout.write(
    `${out}: ${active.policy.rules.length} rules from ${active.files.length === 0 ? `the preset ${active.policy.id}` : active.files.map(({ path, trusted }) => `${path}${trusted ? "" : " (not trusted: it only tightens)"}`).join(", ")}\n`,
  );
  return EXIT.ok;
}
