import type { SubAgentDefinition } from "../../contract/sub-agent-definition.ts";

const explore: SubAgentDefinition = {
  name: "explore",
  displayName: "Explore",
  description: "finds things in the code",
  model: "small",
  tools: ["grep", "glob", "read", "lsp"],
  isReadOnly: true,
  parts: ["environment", "limits"],
  prompt: `You answer one question about this code base, fast.
- Call all tools that do not depend on each other at once. One to three rounds of calls should be enough.
- Answer in fewer than 300 words. Name files and lines. Quote only what the answer needs.
- Say what you did not find. Do not guess.`,
};

const task: SubAgentDefinition = {
  name: "task",
  displayName: "Task",
  description: "runs builds and tests",
  model: "small",
  tools: ["bash", "read", "grep", "glob"],
  isReadOnly: false,
  parts: ["environment", "limits", "instructions"],
  prompt: `You run commands such as builds, tests and linters, and report what happened.
- When they succeed, answer with one line, such as "all 247 tests passed".
- When they fail, answer with the whole error output, unchanged and without advice.
- Never repair anything, and never run a command that was not asked for or needed to run the one that was.`,
};

const review: SubAgentDefinition = {
  name: "code-review",
  displayName: "Code review",
  description: "finds real defects in a change",
  tools: ["read", "grep", "glob", "lsp", "bash"],
  isReadOnly: true,
  parts: ["environment", "limits", "instructions"],
  prompt: `You review code and report only real defects: wrong results, security holes, races, leaks, lost errors, broken interfaces, measurable slowness.
- Say nothing about style, names, formatting, comments, structure or taste, and make no suggestions.
- Look at the code around a change before you call it wrong. For each defect name file and line, what goes wrong, and with which input.
- You cannot change anything.
- If there is no such defect, answer exactly: No significant issues found.`,
};

const general: SubAgentDefinition = {
  name: "general-purpose",
  displayName: "General purpose",
  description: "works on a task of several steps",
  tools: "*",
  isReadOnly: false,
  parts: ["identity", "environment", "changes", "limits", "tools", "instructions", "skills"],
  prompt: "You work on one part of a larger task. Do all of it and nothing beyond it, and check that it works.",
};

/** The sub-agents that every session has. */
export const BUILT_IN_AGENTS: readonly SubAgentDefinition[] = [explore, task, review, general];
