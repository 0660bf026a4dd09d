import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests that kill programs, fill disks, repeat a thing many times, or wait. `npm run test:slow` runs them. */
const SLOW = [
  "src/receipts/seal/mutations.test.ts",
  "src/hosts/sidecar/sidecar.test.ts",
  "src/native/agents/run-in-copy.test.ts",
  "src/native/lsp/language-server.test.ts",
  "src/native/mcp/live-server.test.ts",
  "src/models/cut-stream.test.ts",
  "src/guard/screen/linear-time.test.ts",
  "test/acp-autopilot.test.ts",
  "src/snapshots/undo-sequences.test.ts",
  "test/bundled-checks.test.ts",
  "test/bundled-fix.test.ts",
  "test/bundled-workflows.test.ts",
  "test/changed-check.test.ts",
  "test/completions.test.ts",
  "test/host-conformance.test.ts",
  "test/kill.test.ts",
  "test/launch-check.test.ts",
  "test/launch-workers.test.ts",
  "test/mcp-command.test.ts",
  "test/native-agents.test.ts",
  "test/native-autopilot.test.ts",
  "test/native-compaction.test.ts",
  "test/native-context.test.ts",
  "test/native-disk.test.ts",
  "test/native-hooks.test.ts",
  "test/native-killed.test.ts",
  "test/native-lsp.test.ts",
  "test/native-mcp.test.ts",
  "test/native-plan.test.ts",
  "test/native-piped.test.ts",
  "test/native-progress.test.ts",
  "test/native-sessions.test.ts",
  "test/native-terminal.test.ts",
  "test/native-typing.test.ts",
  "test/native-undo.test.ts",
  "test/native-workers.test.ts",
  "test/native-worktrees.test.ts",
  "test/nested-copilot.test.ts",
  "test/planted-program.test.ts",
  "test/prompt-file.test.ts",
  "test/prove.test.ts",
  "test/prune.test.ts",
  "test/recipe-engine-processes.test.ts",
  "test/recipe-engine.test.ts",
  "test/recipe-resume.test.ts",
  "test/recipe-runner.test.ts",
  "test/recipe-uncontained.test.ts",
  "test/recipe-session.test.ts",
  "test/recipe.test.ts",
  "test/rich-terminal.test.ts",
  "test/run-disk.test.ts",
  "test/run-naming.test.ts",
  "test/run-task.test.ts",
  "test/settings.test.ts",
  "test/stage-conflicts.test.ts",
  "test/simulated-macos.test.ts",
  "test/staged-server.test.ts",
  "test/staged-wrappers.test.ts",
  "test/strange-repository.test.ts",
  "test/unreadable-files.test.ts",
  "test/who-is-alive.test.ts",
];

export default defineConfig({
  test: {
    // Set by `.ci/run` only: there, one hiccup of a busy machine among eleven thousand tests must not hide the rest.
    // The closing lines name every test that needed it.
    retry: Number(process.env["SIGNALBOX_TEST_RETRY"] ?? 0),
    reporters: ["default", "./scripts/closing-line.ts"],
    // Most tests wait for a program that they started: a worker for each core would leave it idle.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/*.test.ts"],
          exclude: SLOW,
          testTimeout: 60_000,
          // To load everything anew for each file costs more than most files' tests. So no module may keep what a test did.
          isolate: false,
        },
      },
      { test: { name: "slow", include: SLOW, testTimeout: 60_000, isolate: false } },
      // These build the release and the library anew, which takes as long as a tenth of all other tests.
      { test: { name: "packaging", include: ["test/packaging/*.test.ts"], testTimeout: 120_000 } },
      { test: { name: "agents", include: ["test/agents/*.test.ts"], testTimeout: 120_000, fileParallelism: false } },
    ],
  },
});
