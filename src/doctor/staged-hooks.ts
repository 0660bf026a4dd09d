import { realpathSync } from "node:fs";
import { resolveAgent } from "../agents/resolve.ts";
import { findWorkspace } from "../lib/find-workspace.ts";
import { readManifest } from "../staging/apply.ts";
import { checkEntry, checkStaged, remedies } from "../staging/check-staged.ts";
import type { CheckResult } from "./check.ts";
import { messageOf } from "../lib/message-of.ts";

const id = "hooks.staged";

/** Whether what is staged here is in place for the active agent. A repository with nothing staged is not a fault. */
export function checkStagedHooks(cwd: string, home: string, env: NodeJS.ProcessEnv): CheckResult {
  try {
    const root = findWorkspace(realpathSync(cwd));
    const manifest = readManifest(root);
    if (manifest === undefined)
      return { id, status: "absent", summary: "nothing is staged here; guarded launches don't need it" };
    const { agent, source } = resolveAgent(cwd, env);
    const { agents, required, xpia = false } = manifest;
    if (!agents.includes(agent))
      return {
        id,
        status: source === "default" ? "warn" : "fail",
        summary: `nothing is staged for the active agent ${agent}, only for ${agents.join(", ")}`,
        fix: remedies(agent),
      };
    const faults = [...checkEntry(home), ...checkStaged({ root, home, env, agents, required, xpia })];
    const [first, ...more] = faults.filter((fault) => fault.agent === undefined || fault.agent === agent);
    if (first === undefined) return { id, status: "ok", summary: `staged for ${agents.join(", ")}, and in place` };
    const event = first.event === undefined ? "" : `, event ${first.event}`;
    const others = more.length === 0 ? "" : ` (and ${more.length} more: signalbox stage --check)`;
    const summary = `${agent}${event}: ${first.place}: ${first.because}${others}`;
    return { id, status: "fail", summary, fix: remedies(agent) };
  } catch (error) {
    const summary = messageOf(error);
    return { id, status: "fail", summary, fix: "fix the above, then run: signalbox stage" };
  }
}
