import { expect, test } from "vitest";
import { refuseInSandbox } from "./inside-session.ts";

test("refuses only where the sandbox's first process is seen", () => {
  expect(() => refuseInSandbox("not here", "go out", "/proc/self/exe")).toThrow(
    expect.objectContaining({ message: "not here", fix: "go out", exitCode: 3 }),
  );
  expect(() => refuseInSandbox("not here", "go out", "/nowhere/init")).not.toThrow();
});
