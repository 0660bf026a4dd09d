import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Suite } from "./suite.ts";

const SIGNALBOX = join(import.meta.dirname, "../bin/signalbox");
const COMMAND = "echo done";

/** A recipe of many bash steps, with and without the sandbox, beside the same commands in a loop of `bash -c`. */
export const recipes: Suite = async ({ quick }) => {
  const steps = quick ? 100 : 1000;
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    const workspace = join(folder, "tree");
    mkdirSync(workspace);
    execFileSync("git", ["init", "-q", workspace]);
    const loop = `for i in $(seq ${steps}); do bash -c '${COMMAND}'; done`;
    const bash = timed("bash", ["-c", loop], { cwd: workspace, home: folder });
    const contained = measured(steps, { workspace, home: homeWith(folder, "auto") });
    const bare = measured(steps, { workspace, home: homeWith(folder, "off") });
    const perBash = bash / steps;
    const result = {
      steps,
      bashLoopMs: Math.round(bash),
      containedMs: Math.round(contained.all),
      uncontainedMs: Math.round(bare.all),
      addedPerContainedStepMs: round(contained.perStep - perBash),
      addedPerUncontainedStepMs: round(bare.perStep - perBash),
      oneContainedStepMs: Math.round(contained.one),
      oneUncontainedStepMs: Math.round(bare.one),
    };
    return {
      rows: [
        { measure: `bash -c in a loop, ${steps} times, ms`, value: result.bashLoopMs },
        { measure: `recipe of ${steps} steps, in the sandbox, ms`, value: result.containedMs },
        { measure: `recipe of ${steps} steps, sandbox: off, ms`, value: result.uncontainedMs },
        { measure: "added by a step in the sandbox, ms", value: result.addedPerContainedStepMs },
        { measure: "added by a step, sandbox: off, ms", value: result.addedPerUncontainedStepMs },
        { measure: "recipe of 1 step, in the sandbox, ms", value: result.oneContainedStepMs },
        { measure: "recipe of 1 step, sandbox: off, ms", value: result.oneUncontainedStepMs },
      ],
      result,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

interface Place {
  readonly workspace: string;
  readonly home: string;
}

function homeWith(folder: string, sandbox: "auto" | "off"): string {
  const home = join(folder, sandbox);
  mkdirSync(join(home, ".signalbox"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".signalbox/policy.yaml"), `version: 1\nsandbox: ${sandbox}\n`, { mode: 0o600 });
  return home;
}

function measured(steps: number, { workspace, home }: Place) {
  const run = (count: number) => {
    const lines = Array.from({ length: count }, (_, index) => `  - { id: s${index}, command: ${COMMAND} }\n`);
    const limits = `recursion: { max_total_steps: ${count} }\n`;
    writeFileSync(join(workspace, "bench.yaml"), `name: bench\n${limits}steps:\n${lines.join("")}`);
    return timed(SIGNALBOX, ["recipe", "run", "./bench.yaml", "--json"], { cwd: workspace, home });
  };
  // The first one proves the sandbox, and that is remembered.
  run(1);
  const one = run(1);
  const all = run(steps);
  return { one, all, perStep: (all - one) / (steps - 1) };
}

function timed(
  program: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly home: string },
): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(program, args, {
    cwd: place.cwd,
    env: { ...process.env, HOME: place.home },
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${String(stderr).slice(-500)}`);
  return performance.now() - started;
}

const round = (ms: number) => Math.round(ms * 100) / 100;
