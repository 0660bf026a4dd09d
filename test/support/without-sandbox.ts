import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compilePolicy } from "../../src/guard/policy/active-policy.ts";
import { findWorkspace } from "../../src/lib/path/workspace.ts";

const POLICY = "version: 1\nsandbox: off\n";

/**
 * Lets commands of a home's sessions run without a sandbox, for tests that are about something else: a sandbox hides the
 * ids of processes, and its trial costs time. Tests in test/agents run with the default.
 */
export function withoutSandbox(home: string): string {
  mkdirSync(join(home, ".signalbox"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".signalbox/policy.yaml"), POLICY, { mode: 0o600 });
  return home;
}

/** Compiles that policy for a folder here, where the code for it is loaded; a program started there then need not. */
export function compileWithoutSandbox(home: string | undefined, cwd: string): void {
  const folder = join(home ?? "", ".signalbox");
  try {
    if (readFileSync(join(folder, "policy.yaml"), "utf8") === POLICY)
      compilePolicy(folder, findWorkspace(realpathSync(cwd)));
  } catch {
    // The test brings a home or a policy of its own; the program says what is wrong with it.
  }
}
