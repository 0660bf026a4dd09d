import { expect, test } from "vitest";
import { agentNamed } from "../packs.ts";
import { isUnattended } from "./agent.ts";

test.each([
  ["claude", ["--init-only"]],
  ["claude", ["--model", "x", "--init-only"]],
  ["claude", ["-p"]],
  ["claude", ["-cp", "task"]],
  ["claude", ["-pc", "task"]],
  ["claude", ["-pdx y", "task"]],
  ["claude", ["--print"]],
  ["claude", ["--sdk-url=wss://example.com"]],
  ["codex", ["exec", "task"]],
  ["codex", ["review"]],
  ["copilot", ["-p", "task"]],
  ["copilot", ["--prompt=task"]],
])("%s with %j works without a person, whatever stands on its terminal", (name, flags) => {
  expect(isUnattended(agentNamed(name, "a test"), flags)).toBe(true);
});

test.each([
  ["claude", []],
  ["claude", ["--init"]],
  ["claude", ["--maintenance", "--continue", "task"]],
  ["claude", ["--permission-mode", "plan"]],
  ["codex", ["-cprofile=x"]],
  ["copilot", ["-i", "task"]],
])("%s with %j works with the person at its terminal", (name, flags) => {
  expect(isUnattended(agentNamed(name, "a test"), flags)).toBe(false);
});
