import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/closing-line.ts"],
    // Most tests wait for a program that they started: a worker for each core would leave it idle.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/*.test.ts"],
          testTimeout: 60_000,
          // To load everything anew for each file costs more than most files' tests. So no module may keep what a test did.
          isolate: false,
        },
      },
      // These build the release and the library anew, which takes as long as a tenth of all other tests.
      { test: { name: "packaging", include: ["test/packaging/*.test.ts"], testTimeout: 120_000 } },
      { test: { name: "agents", include: ["test/agents/*.test.ts"], testTimeout: 120_000, fileParallelism: false } },
    ],
  },
});
