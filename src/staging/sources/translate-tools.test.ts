import { expect, test } from "vitest";
import { STAGED } from "./staged-agents.ts";
import { translateTools } from "./translate-text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The translation for each agent that has agents of its own, by name. */
function translated(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    STAGED.flatMap(({ name, title, surfaces }) =>
      ["claude", "copilot", "codex"].includes(name) && surfaces.dialect !== undefined
        ? [[name, translateTools(fields, { title, dialect: surfaces.dialect })]]
        : [],
    ),
  );
}

const refused = (because: string) => ({ refused: expect.stringContaining(because) });
const noLimits = refused("Codex CLI cannot limit an agent's tools");

test.each<[string, Fields, Record<string, unknown>]>([
  ["no list", {}, { claude: {}, copilot: {}, codex: {} }],
  ["every tool", { tools: "*" }, { claude: {}, copilot: {}, codex: {} }],
  [
    "Claude Code's names",
    { tools: "Read, Grep" },
    { claude: { tools: ["Read", "Grep"] }, copilot: { tools: ["view", "grep"] }, codex: noLimits },
  ],
  [
    "Copilot's names",
    { tools: ["view", "bash"] },
    { claude: { tools: ["Read", "Bash"] }, copilot: { tools: ["view", "bash"] }, codex: {} },
  ],
  [
    "Copilot's groups",
    { tools: ["search", "edit"] },
    { claude: { tools: ["Grep", "Glob", "Edit", "Write"] }, copilot: { tools: ["search", "edit"] }, codex: noLimits },
  ],
  [
    "a tool that can do less than any of the other agent's",
    { tools: ["create"] },
    { claude: refused("Claude Code has none of its tools (create)"), copilot: { tools: ["create"] }, codex: noLimits },
  ],
  [
    "a shell limited to some commands",
    { tools: "Bash(git add:*, git commit:*), Read" },
    {
      claude: { tools: ["Bash(git add:*, git commit:*)", "Read"] },
      copilot: { tools: ["view"] },
      codex: noLimits,
    },
  ],
  [
    "tools of a server",
    { tools: ["Read", "mcp__docs__find", "mcp__web"] },
    {
      claude: { tools: ["Read", "mcp__docs__find", "mcp__web"] },
      copilot: { tools: ["view", "docs/find", "web/*"] },
      codex: noLimits,
    },
  ],
  [
    "names that nobody knows",
    { tools: "Frobnicate" },
    { claude: refused("(Frobnicate)"), copilot: refused("(Frobnicate)"), codex: noLimits },
  ],
  [
    "names from Object.prototype",
    { tools: "constructor, __proto__" },
    { claude: refused("constructor"), copilot: refused("constructor"), codex: noLimits },
  ],
  [
    "an empty list",
    { tools: [] },
    { claude: refused("is empty"), copilot: refused("is empty"), codex: refused("is empty") },
  ],
  [
    "something that is no list",
    { tools: { Read: true } },
    { claude: refused("not a list"), copilot: refused("not a list"), codex: refused("not a list") },
  ],
  [
    "a forbidden tool",
    { disallowedTools: "Bash" },
    {
      claude: { disallowedTools: ["Bash"] },
      copilot: { tools: expect.not.arrayContaining(["bash"]) },
      codex: refused("must not use Bash"),
    },
  ],
  [
    "Copilot's name forbidden",
    { tools: ["view", "edit"], disallowedTools: ["edit"] },
    {
      claude: { tools: ["Read", "Edit", "Write"], disallowedTools: ["Edit", "Write"] },
      copilot: { tools: ["view"] },
      codex: noLimits,
    },
  ],
  [
    "all of it forbidden",
    { tools: "Bash", disallowedTools: "Bash" },
    {
      claude: { tools: ["Bash"], disallowedTools: ["Bash"] },
      copilot: refused("no tool of"),
      codex: refused("must not use Bash"),
    },
  ],
])("%s is translated for every agent, never to more", (_, fields, expected) => {
  expect(translated(fields)).toEqual(expected);
});

test.each([
  ["sonnet", "sonnet", undefined, undefined],
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929", "claude-sonnet-4.5", undefined],
  ["claude-opus-4.1", "claude-opus-4-1", "claude-opus-4.1", undefined],
  ["gpt-5.1", undefined, "gpt-5.1", "gpt-5.1"],
  ["inherit", "inherit", undefined, undefined],
  ["../../x", undefined, undefined, undefined],
])("the model %s is %s in Claude Code, %s in Copilot and %s in Codex", (model, ...expected) => {
  const models = ["claude", "copilot", "codex"].map((name) =>
    STAGED.find((agent) => agent.name === name)?.surfaces.dialect?.model(model),
  );
  expect(models).toEqual(expected);
});
