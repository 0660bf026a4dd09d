import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { playSession } from "./session.ts";
import type { TrialPlace } from "./trial-place.ts";
import { type Trial, tryOf } from "./trial.ts";

const STEPS = [{ turn: { shell: ["mkdir own-rule", "touch ok-beside"] } }, { turn: { text: "Done." } }];

/**
 * Two sessions with the same calls, all allowed by our policy and by a hook in the home: one without and one with a
 * rule of the agent's own that denies one of them. Only that rule can be what blocks the call.
 */
export async function tryOwnRule(stage: TrialPlace): Promise<readonly Trial[]> {
  const { unattended, ownRule } = stage.offline;
  const { flags, file } = ownRule;
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
    const trial = tryOf("own-deny-rule", withRule, { denied: ["own-rule"], allowed: ["ok-beside"] });
    const control = without.exists("own-rule") ? [] : ["the call did not run without the rule either"];
    return [
      {
        ...trial,
        missing: [...trial.missing, ...control],
        seen: "a call denied by the agent's own rule did not run, although a hook allowed it; without the rule, it ran",
      },
    ];
  } finally {
    rmSync(hooks, { recursive: true });
    if (path !== undefined) rmSync(path, { force: true });
  }
}
