import type { Reporter, TestModule } from "vitest/node";

/**
 * Names every test that needed a second try, then ends the run with one plain line, `N passed, N failed`, for scripts
 * that parse it.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    for (const test of tests)
      if (test.diagnostic()?.flaky === true)
        console.log(`passed only when tried again: ${test.module.relativeModuleId} > ${test.fullName}`);
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const skipped = count("skipped");
    console.log(
      `${count("passed")} passed, ${count("failed") + broken} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`,
    );
  }
}
