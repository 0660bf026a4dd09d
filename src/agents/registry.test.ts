import { expect, test } from "vitest";
import { agentNamed } from "./packs.ts";

test("a name that is no agent is refused in words that fit it", () => {
  expect(agentNamed("codex", "--agent").name).toBe("codex");
  expect(() => agentNamed("native", "--agent")).toThrow("native is signalbox itself, not a separate program");
  expect(() => agentNamed("nobody", "--agent")).toThrow("unknown agent");
});
