import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Policy } from "../contract/policy.ts";
import { planSandbox } from "../sandbox/plan-sandbox.ts";
import { releaseSandbox } from "../sandbox/release-sandbox.ts";
import { sandboxWorks } from "../sandbox/sandbox-works.ts";
import { sandboxedArgv } from "../sandbox/sandboxed-argv.ts";
import { shQuote } from "../lib/sh-quote.ts";
import { EXIT, UserError } from "../lib/user-error.ts";

/** The sandbox of a launch: a program that runs one command in it, and the cleanup after the last one. */
export interface LaunchSandbox extends Disposable {
  readonly program: string;
}

/** The sandbox that a workspace's policy requires, verified on this machine. Throws when it does not work here. */
export async function launchSandbox(policy: Policy, run: string, path: string | undefined): Promise<LaunchSandbox> {
  const proof = await sandboxWorks(policy.workspaceRoot);
  if (!proof.works)
    throw new UserError(`the policy requires a sandbox, but none is available: ${proof.because}`, {
      where: "sandbox of the policy",
      fix: proof.fix,
      exitCode: EXIT.refused,
    });
  const plan = planSandbox(policy, { bubblewrap: proof.bubblewrap, path });
  const program = join(run, "sandbox", "run");
  mkdirSync(join(run, "sandbox"), { mode: 0o700 });
  // A file instead of a long command line: agents check the paths in a command, and people read it.
  const argv = sandboxedArgv(["bash", "-c", 'cd -- "$0" && eval "$1"'], plan).map(shQuote).join(" ");
  writeFileSync(program, `#!/bin/sh\nexec ${argv} "$PWD" "$1"\n`, { mode: 0o700 });
  return { program, [Symbol.dispose]: () => void releaseSandbox(plan) };
}
