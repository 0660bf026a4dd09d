import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OwnRuleFile } from "../agents/pack/offline.ts";
import { playSession } from "./session.ts";
import type { TrialPlace } from "./trial-place.ts";
import { type Trial, tryOf } from "./trial.ts";

const STEPS = [{ turn: { shell: ["mkdir own-rule", "touch ok-beside"] } }, { turn: { text: "Done." } }];

/**
 * Two sessions with the same calls, all allowed by our policy and by a hook in the home: one without and one with a
 * rule of the agent's own that denies one of them. Only that rule can be what blocks the call.
 */
export async function tryOwnRule(stage: TrialPlace): Promise<readonly Trial[]> {
  const { ownRule, ownAskRule } = stage.offline;
  const denied = await tryRule(stage, "own-deny-rule", ownRule);
  if (ownAskRule !== undefined) return [denied, await tryRule(stage, "own-ask-rule", ownAskRule)];
  const open = `${stage.agent.title} has no rules that ask`;
  return [denied, { id: "own-ask-rule", ran: [], missing: [open], seen: "", open }];
}

/** Nobody is at the terminal, so a rule that asks blocks the call too. */
async function tryRule(stage: TrialPlace, id: "own-deny-rule" | "own-ask-rule", rule: OwnRuleFile): Promise<Trial> {
  const { unattended } = stage.offline;
  const { flags, file } = rule;
  const home = stage.environment("http://127.0.0.1")["HOME"] ?? "";
  const hooks = join(stage.signalbox, "hooks");
  const path = file === undefined ? undefined : join(home, file.path);
  const play = (more: readonly string[]) =>
    playSession(stage, { steps: STEPS, flags: [...unattended, ...more], repository: stage.repository() });
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, "tool-before"), `#!/bin/sh\ncat >/dev/null\necho '{"permissionDecision":"allow"}'\n`, {
    mode: 0o700,
  });
  try {
    const without = await play([]);
    if (path !== undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file?.text ?? "");
    }
    const withRule = await play(flags);
    const trial = tryOf(id, withRule, { denied: ["own-rule"], allowed: ["ok-beside"] });
    const control = without.exists("own-rule") ? [] : ["the call did not run without the rule either"];
    return {
      ...trial,
      missing: [...trial.missing, ...control],
      seen: "a call blocked by the agent's own rule did not run, although a hook allowed it; without the rule, it ran",
    };
  } finally {
    rmSync(hooks, { recursive: true });
    if (path !== undefined) rmSync(path, { force: true });
  }
}
