import { expect, test } from "vitest";
import { exitStatus } from "./exit-status.ts";

test.each([
  [{ code: 0, signal: null }, undefined, 0],
  [{ code: 7, signal: null }, undefined, 7],
  [{ code: 7, signal: null }, "SIGTERM", 7],
  [{ code: 0, signal: null }, "SIGTERM", 143],
  [{ code: 0, signal: null }, "SIGINT", 130],
  [{ code: null, signal: "SIGKILL" }, undefined, 137],
  [{ code: null, signal: "SIGSEGV" }, "SIGTERM", 139],
  [{ code: null, signal: null }, undefined, 137],
] as const)("%j after %s is %d", (end, received, status) => {
  expect(exitStatus(end, received)).toBe(status);
});
