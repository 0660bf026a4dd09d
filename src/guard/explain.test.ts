import { expect, test } from "vitest";
import { explainToPerson } from "./explain.ts";
import { judge } from "./judge/judge.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import { PRESETS } from "./presets/presets.ts";

const policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" } as const;
const explained = (command: string) =>
  explainToPerson(command, judge({ tool: "Bash", input: { command } }, policy, fakeMachine({})));

test("what is fine is listed apart from what is not, and what the shell does itself is not listed", () => {
  const text = explained("x=1; git status && sudo id");
  const [fine = "", wrong = ""] = text.split("Blocked because");
  expect(text.startsWith("DENY  x=1; git status && sudo id\n")).toBe(true);
  expect(fine).toContain("  git status: ");
  expect(fine).not.toContain("sudo id: ");
  expect(wrong).toContain("  sudo id: ");
  expect(text).not.toContain("the shell itself");
});
