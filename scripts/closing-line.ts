import type { Reporter, TestModule } from "vitest/node";

/** Ends a test run with one plain line, `N passed, N failed`, for scripts that parse it. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const skipped = count("skipped");
    console.log(
      `${count("passed")} passed, ${count("failed") + broken} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`,
    );
  }
}
