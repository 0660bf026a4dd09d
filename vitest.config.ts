import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/closing-line.ts"],
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts", "test/*.test.ts"], testTimeout: 30_000 } },
      { test: { name: "agents", include: ["test/agents/*.test.ts"], testTimeout: 120_000, fileParallelism: false } },
    ],
  },
});
