import { expect, test } from "vitest";
import { describeEnd } from "./program.ts";

const REINSTALL = "GitHub Copilot CLI: no platform package found. Reinstall with `npm install -g @github/copilot`.";
const KILLED = "GitHub Copilot native binary at /opt/copilot was terminated by signal SIGKILL.";

test.each([
  ["a program's own end", { code: 3, signal: null }, "no such file", "exit code 3: no such file"],
  ["a signal", { code: null, signal: "SIGTERM" }, "", "killed by SIGTERM"],
  ["a signal behind a launcher", { code: 1, signal: null }, `${KILLED}\n${REINSTALL}`, "killed by SIGKILL"],
  [
    "the same after other words",
    { code: 1, signal: null },
    `out of memory\n${KILLED}\n${REINSTALL}`,
    "killed by SIGKILL: out of memory",
  ],
  ["a program that is really missing", { code: 1, signal: null }, REINSTALL, `exit code 1: ${REINSTALL}`],
] as const)("%s is told as the cause", (_, end, complaint, told) => {
  expect(describeEnd(end, complaint)).toBe(told);
});
