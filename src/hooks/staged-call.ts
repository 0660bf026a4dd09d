import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { mustAnswer, readPayload } from "../agents/pack/hook-event.ts";
import { findDialect, findHooksOf } from "../agents/find-dialect.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import type { Policy } from "../contract/policy.ts";
import type { AuditSegment } from "../guard/audit/write-audit.ts";
import { findWorkspace } from "../lib/path/workspace.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { screen } from "../guard/screen/screen.ts";
import { openAnswerer, refusal } from "./answer.ts";
import { rememberEvent, takeAnsweredEvent } from "./repeated-events.ts";
import { compiledPolicy } from "./hook-context.ts";
import { type HookOutput, serversFolder, STAGED_SEAL } from "./server-protocol.ts";
import type { LivePolicy } from "./live-policy.ts";
import { stagedHooks } from "./project/registration.ts";

/** One event of a session that signalbox did not launch, as a staged wrapper passes it on. */
export interface StagedCall {
  readonly agent: string;
  readonly event: HookEventName;
  /** The repository's hooks at the time it was staged. */
  readonly remembered: readonly string[];
  readonly text: string;
}

/**
 * Answers a staged wrapper. The event determines the workspace; hooks are looked up on every call. Fails closed. A process
 * that answers many calls passes what it keeps between them, and the agent's process id.
 */
export async function answerStaged(
  call: StagedCall,
  env: NodeJS.ProcessEnv,
  kept?: { readonly policies: LivePolicy; readonly log: () => AuditSegment; readonly agent?: number | undefined },
): Promise<HookOutput> {
  const { agent, event, text } = call;
  const warnings: string[] = [];
  const warn = (warning: string) => void warnings.push(`signalbox: ${warning}`);
  try {
    const folder = signalboxHome(env);
    const others = findHooksOf(agent)?.alsoRuns;
    // Without a time, an event cannot have been reported before.
    if (others === undefined && text.includes('"timestamp"') && takeAnsweredEvent(call, folder))
      return { stdout: "{}\n", stderr: "", exit: 0 };
    const workspace = workspaceOf(text);
    const hooks = stagedHooks(call.remembered, { workspace, folder }, { env, event, warn });
    const settings = {
      agent,
      folder,
      interactive: true,
      closed: [serversFolder(folder)],
      switches: [],
      deniedTools: [],
      hooks,
      // Only hooks ever answer `allow`.
      neverAllow: hooks.length > 0 && findHooksOf(agent)?.deniesTools?.(kept?.agent ?? process.ppid) === true,
      seal: STAGED_SEAL,
    };
    await kept?.policies.refresh(workspace);
    const policyFor = (root: string) => knownPolicy(root, kept?.policies) ?? policyOnDisk(folder, root);
    const log = kept === undefined ? {} : { log: kept.log };
    using answerer = openAnswerer({ settings, env, policyFor, screen, warn, hookFolder: workspace, ...log });
    const output = await answerer.answer({ event, text });
    if (others !== undefined) rememberEvent(call, output, { workspace, folder, others });
    return { ...output, stderr: [output.stderr.trimEnd(), ...warnings].filter((line) => line !== "").join(" ") };
  } catch (error) {
    const because = `Blocked, because signalbox failed to answer: ${messageOf(error)}`;
    if (mustAnswer(event)) return refusal(event, findDialect(agent), because);
    return { stdout: "{}\n", stderr: `signalbox: ${because}`, exit: 0 };
  }
}

/** The repository that the agent works in. An unreadable call is reported later, when it is answered. */
function workspaceOf(text: string): string {
  const cwd = cwdIn(text) ?? process.cwd();
  return findWorkspace(realpathSync(cwd));
}

function cwdIn(text: string): string | undefined {
  try {
    const { cwd } = readPayload(text);
    return typeof cwd === "string" && cwd !== "" ? cwd : undefined;
  } catch {
    return undefined;
  }
}

function knownPolicy(workspace: string, policies: LivePolicy | undefined): Policy | undefined {
  try {
    return policies?.policyFor(workspace);
  } catch {
    return undefined;
  }
}

/** The compiled policy. If its files have changed, the full program recompiles them first. */
function policyOnDisk(folder: string, workspace: string): Policy {
  try {
    return compiledPolicy(folder, workspace);
  } catch {
    compileAgain(workspace);
    return compiledPolicy(folder, workspace);
  }
}

function compileAgain(workspace: string): void {
  const self = process.argv[1] ?? "";
  const program = join(dirname(self), self.endsWith(".ts") ? "../cli.ts" : "signalbox.cjs");
  // Loaded only here: this module would cost every hook 5 ms.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  spawnSync(process.execPath, [program, "guard", "compile"], { cwd: workspace, stdio: "ignore", timeout: 10_000 });
}
