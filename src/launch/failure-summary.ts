const OF_ALL = /\b(\d+)\s*(?:of|out of|\/)\s*(\d+)\s+(?:tests?\s+)?fail(?:ed|ures?|ing)?\b/i;
const FAILED = /\b(\d+)\s+(?:tests?\s+)?fail(?:ed|ures?|ing)?\b|\bfail(?:ed|ures)?[:\s]+(\d+)\b/i;
const PASSED = /\b(\d+)\s+(?:tests?\s+)?pass(?:ed|ing)?\b|\bpass(?:ed)?[:\s]+(\d+)\b/i;
const TOTAL = /\b(\d+)\s+total\b|\btests?[:\s]+(\d+)\s*$/i;

/** How many tests failed, from what a test runner printed last: `2 of 118 failed`. Undefined if it does not say. */
export function failureSummary(output: string): string | undefined {
  const lines = output.split("\n").slice(-40).toReversed();
  const [, some, all] = lines.map((line) => OF_ALL.exec(line)).find((found) => found !== null) ?? [];
  if (some !== undefined) return Number(some) === 0 ? undefined : `${some} of ${all} failed`;
  const failed = numberIn(lines, FAILED);
  if (failed === undefined || failed === 0) return undefined;
  const passed = numberIn(lines, PASSED);
  const total = numberIn(lines, TOTAL) ?? (passed === undefined ? undefined : passed + failed);
  return total === undefined || total < failed ? `${failed} failed` : `${failed} of ${total} failed`;
}

function numberIn(lines: readonly string[], pattern: RegExp): number | undefined {
  for (const line of lines) {
    const [, one, other] = pattern.exec(line) ?? [];
    if (one !== undefined || other !== undefined) return Number(one ?? other);
  }
  return undefined;
}
