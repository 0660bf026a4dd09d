import { expect, test } from "vitest";
import { fakeMachine } from "../guard/machine/fake-machine.ts";
import { judge } from "../guard/judge/judge.ts";
import type { Policy } from "../contract/policy.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { answerXpia } from "./answer-xpia.ts";

const policy: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/w", home: "/home/dev" };
const answer = (value: unknown) =>
  answerXpia(typeof value === "string" ? value : JSON.stringify(value), (call) => judge(call, policy, fakeMachine({})));

test("what is allowed is answered with nothing, in both dialects", () => {
  expect(answer({ tool_name: "Bash", tool_input: { command: "pwd" }, cwd: "/w", session_id: "s" })).toEqual({});
  expect(answer({ toolName: "bash", toolArgs: '{"command":"git status"}', cwd: "/w" })).toEqual({});
  expect(answer({ tool_name: "Read", tool_input: { file_path: "a" }, cwd: "/w" })).toEqual({});
});

test("a denial carries its reason under both names", () => {
  const denied = answer({ tool_name: "Bash", tool_input: { command: "sudo id" }, cwd: "/w" });
  expect(denied).toEqual({
    permissionDecision: "deny",
    message: expect.stringContaining("escalate"),
    permissionDecisionReason: expect.stringContaining("sudo id"),
  });
});

test("a command under an escaped key is judged, also where the engine would misread the key", () => {
  const call = (input: string) =>
    answer(`{"tool_name":"Bash","pad":{"zz1":1,"comman\\\\":1},"tool_input":${input},"cwd":"/w"}`);
  expect(call('{"zz1":1,"comman\\u0064":"pwd"}')).toEqual({});
  expect(call('{"zz1":1,"comman\\u0064":"sudo id"}')).toMatchObject({
    permissionDecisionReason: expect.stringContaining("sudo id"),
  });
});

test("a question is a question", () => {
  expect(answer({ tool_name: "Bash", tool_input: { command: "git push" }, cwd: "/w" })).toMatchObject({
    permissionDecision: "ask",
  });
});

test.each([
  ["no JSON", "garbage"],
  ["nothing", ""],
  ["a list", "[]"],
  ["no tool", { tool_input: { command: "ls" } }],
  ["an unknown tool", { tool_name: "Frobnicate", tool_input: {} }],
  ["arguments that are no JSON", { toolName: "bash", toolArgs: "{" }],
  ["no command", { tool_name: "Bash", tool_input: {} }],
  ["no input", { tool_name: "Bash" }],
  ["is not a string", { tool_name: "Bash", tool_input: { command: "ls" }, cwd: 5 }],
  ["a relative folder", { tool_name: "Bash", tool_input: { command: "ls" }, cwd: "x" }],
])("%s is denied", (_, value) => {
  expect(answer(value)).toMatchObject({ permissionDecision: "deny" });
});

test("a judge that throws denies", () => {
  const thrown = answerXpia('{"tool_name":"Bash","tool_input":{"command":"ls"}}', () => {
    throw new Error("broken");
  });
  expect(thrown).toMatchObject({ permissionDecision: "deny" });
});
