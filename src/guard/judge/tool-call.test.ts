import { expect, test } from "vitest";
import { fakeMachine } from "../machine/fake-machine.ts";
import { judge } from "./judge.ts";
import { compileCorpusPolicy } from "../policy/corpus-policy.ts";

const policy = compileCorpusPolicy({
  allowed_tools: ["Read", "Grep", "Glob", "Edit", "mcp__github__*"],
  disallowed_tools: ["Bash*", "mcp__github__delete_*"],
  require_approval_for: ["Edit"],
  network: { mode: "allowlist", allow: ["github.com"] },
  default: "deny",
});
const verdict = (tool: string, input: unknown) => judge({ tool, input }, policy, fakeMachine({})).verdict;

test.each([
  ["Read", { file_path: "src/a.ts" }],
  ["read_file", { path: "src/a.ts" }],
  ["Glob", { pattern: "**/*.ts" }],
  ["Grep", { pattern: "/etc/passwd", path: "src" }],
  ["mcp__github__get_file", { path: "README.md", url: "https://github.com/a/b" }],
])("%s %j is allowed", (tool, input) => {
  expect(verdict(tool, input)).toBe("allow");
});

test("an approval list asks, also for another agent's name of the tool", () => {
  expect([verdict("Edit", { file_path: "a" }), verdict("str_replace", { path: "a" })]).toEqual(["ask", "ask"]);
});

test.each([
  ["bash", { command: "ls" }],
  ["BASH", { command: "ls" }],
  ["run_shell_command", { command: "ls" }],
  ["Bash ", { command: "ls" }],
  ["MultiEdit", { file_path: "a" }],
  ["Write", { file_path: "a" }],
  ["READ", { file_path: "a" }],
  ["R\u0435ad", { file_path: "a" }],
  ["", {}],
  ["mcp__github__delete_repo", {}],
  ["MCP__GITHUB__DELETE_repo", {}],
  ["mcp__github__get/../delete_repo", {}],
  ["mcp__github__get_file\n", {}],
  ["mcp__gitlab__get", {}],
  ["mcp__github__get_file", { url: "https://evil.example" }],
  ["mcp__github__get_file", { url: "evil" }],
  ["mcp__github__get_file", { options: [{ callback: "http://169.254.169.254/" }] }],
  ["Read", { file_path: ["/etc/shadow"] }],
  ["Read", { file_path: 5 }],
  ["Read", {}],
  ["Read", null],
  ["Read", "a.txt"],
  ["Glob", { pattern: "src/../../**" }],
  ["Glob", { pattern: "/etc/*" }],
  ["Grep", { pattern: "x", include: "../../*" }],
  ["Edit", { file_path: ".git/config" }],
])("%j %j is denied", (tool, input) => {
  expect(verdict(tool, input)).toBe("deny");
});
