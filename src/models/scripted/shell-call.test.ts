import { expect, test } from "vitest";
import type { OfferedTool } from "./wire.ts";
import { shellCall } from "./play.ts";

const text = { type: "string" };
const offered = (name: string, properties: object, required: readonly string[] = []): OfferedTool => ({
  name,
  schema: { type: "object", properties, required },
  freeText: false,
});
const filler = "Run the scripted command";

test.each<[string, OfferedTool, object]>([
  [
    "Claude",
    offered("Bash", { command: text, description: text, timeout: { type: "number" } }, ["command"]),
    { command: "ls", description: filler },
  ],
  ["Codex", offered("exec_command", { cmd: text, workdir: text }, ["cmd"]), { cmd: "ls" }],
  [
    "Copilot",
    offered("bash", { command: text, description: text, mode: text }, ["command", "description"]),
    { command: "ls", description: filler },
  ],
  [
    "Gemini, with types in capitals",
    offered("run_shell_command", { command: { type: "STRING" } }, ["command"]),
    { command: "ls" },
  ],
  ["opencode and pi", offered("bash", { command: text, timeout: { type: "number" } }, ["command"]), { command: "ls" }],
  [
    "the Codex of last year",
    offered("shell", { command: { type: "array" } }, ["command"]),
    { command: ["bash", "-lc", "ls"] },
  ],
])("%s gets the command in its own words", (_, tool, input) => {
  expect(shellCall("ls", [offered("read", { path: text }), tool])).toEqual({ name: tool.name, input });
});

test("every required field gets a value that its schema accepts", () => {
  const properties = {
    command: text,
    reason: text,
    mode: { type: "string", enum: ["sync", "async"] },
    shell: { type: "string", default: "sh" },
    wait: { type: ["integer", "null"] },
    background: { type: "boolean" },
    env: { type: "object" },
    args: { type: "array" },
  };
  expect(shellCall("ls", [offered("bash", properties, [...Object.keys(properties), "unknown"])])).toEqual({
    name: "bash",
    input: {
      command: "ls",
      reason: filler,
      mode: "sync",
      shell: "sh",
      wait: 1,
      background: false,
      env: {},
      args: [],
      unknown: filler,
    },
  });
});

test("the code mode of Codex gets a line of JavaScript", () => {
  const exec = { name: "exec", schema: undefined, freeText: true, namespace: "functions" };
  expect(shellCall('echo "a"', [exec])).toEqual({
    name: "exec",
    input: 'text(await tools.exec_command({"cmd":"echo \\"a\\""}))',
  });
});

test.each<[string, OfferedTool[]]>([
  ["no tools", []],
  ["no shell among them", [offered("read", { path: text })]],
  ["a shell that takes no command", [offered("bash", { script: text })]],
  ["a shell without a schema", [{ name: "bash", schema: undefined, freeText: true }]],
])("there is no call for %s", (_, tools) => {
  expect(shellCall("ls", tools)).toBeUndefined();
});
