import { writeSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { screen } from "../guard/injection/screen.ts";
import { guardParts } from "../guard/guard-parts.ts";
import { readCompiled } from "../guard/policy/compiled-policy.ts";
import { findWorkspace, MANAGED_POLICY, workspacePolicy } from "../guard/policy/workspace.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { answerHook, hookInput } from "./hook-entry.ts";

/** The small bundle: the judge behind one hook call, with a compiled policy. Whatever happens, it prints one answer. */
function main(): void {
  const folder = signalboxHome();
  const answer = answerHook(readInput(), {
    folder,
    workspaceOf: findWorkspace,
    policyFor: (workspaceRoot) =>
      readCompiled({
        folder,
        workspaceRoot,
        home: homedir(),
        candidates: [MANAGED_POLICY, join(folder, "policy.yaml"), workspacePolicy(workspaceRoot)],
      }),
    ...guardParts(process.env, screen),
  });
  // Opening the stream of standard output would cost 3 ms.
  writeSync(1, `${JSON.stringify(answer)}\n`);
}

/** Input that cannot be read is judged as what it is: no call, so a denial. */
function readInput(): string {
  try {
    return hookInput(process.argv.slice(2));
  } catch {
    return "";
  }
}

main();
