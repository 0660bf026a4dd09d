import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { BUILT_IN_AGENTS, loadAgents, showAgents } from "./agent-definitions.ts";

/** A repository and a home with these files; a path that begins with ~ is in the home. */
function placeWith(files: Readonly<Record<string, string>>) {
  const [workspace, userHome] = [tempFolder(), tempFolder()];
  for (const [path, text] of Object.entries(files)) {
    const file = path.startsWith("~/") ? join(userHome, path.slice(2)) : join(workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const signalboxHome = join(userHome, ".signalbox");
  return { workspace, cwd: workspace, userHome, signalboxHome, environment: {}, mayRead: () => true };
}

const loaded = (files: Readonly<Record<string, string>>) => {
  const { agents, notLoaded } = loadAgents(placeWith(files));
  return { agents: agents.slice(BUILT_IN_AGENTS.length), notLoaded };
};

test("definitions are read in all their forms, from the repository and the home", () => {
  const { agents, notLoaded } = loaded({
    ".signalbox/agents/tables.agent.yaml":
      "name: sql\ndisplayName: Tables\ndescription: d\ntools: ['*']\nprompt: |\n  Know tables.\n",
    ".github/agents/docs.agent.md":
      "---\ndescription: writes docs\ntools: [read, edit]\nmodel: gpt-5-mini\n---\nWrite docs.",
    ".claude/agents/test runner.md": "---\ntools: Read, Bash\n---\nRun tests.",
    "~/.claude/agents/mine.md": "Just a prompt.",
    "~/.signalbox/agents/README.md": "No agent.",
    "~/.signalbox/agents/notes.txt": "No agent.",
  });
  expect(notLoaded).toEqual([]);
  expect(agents.map(({ name, displayName, tools, model, file }) => [name, displayName, tools, model, file])).toEqual([
    ["sql", "Tables", "*", undefined, ".signalbox/agents/tables.agent.yaml"],
    ["docs", "docs", ["read", "edit"], "gpt-5-mini", ".github/agents/docs.agent.md"],
    ["test-runner", "test-runner", ["Read", "Bash"], undefined, ".claude/agents/test runner.md"],
    ["mine", "mine", "*", undefined, "~/.claude/agents/mine.md"],
  ]);
  expect(agents.map(({ prompt }) => prompt)).toEqual(["Know tables.", "Write docs.", "Run tests.", "Just a prompt."]);
});

test("what cannot be used is left out with the reason, and the rest is loaded", () => {
  const { agents, notLoaded } = loaded({
    ".signalbox/agents/a.md": "---\nname: ok\n---\nFirst.",
    ".claude/agents/a.md": "---\nname: ok\n---\nSecond.",
    ".claude/agents/b.md": "---\nname: explore\n---\nMine.",
    ".claude/agents/c.md": "---\nname: ../../escape\n---\nx",
    ".claude/agents/d.md": "---\nname: d\n---\n",
    ".claude/agents/e.md": "---\ntools: { read: true }\n---\nx",
    ".claude/agents/f.md": "---\n: [broken\n---\nx",
    ".claude/agents/g.agent.yaml": "a: &a [*a]\n",
    ".claude/agents/h.agent.yaml": "- a list\n",
    ".claude/agents/i.agent.yaml": `prompt: ${"x".repeat(70_000)}\n`,
  });
  expect(agents.map(({ name, prompt }) => [name, prompt])).toEqual([["ok", "First."]]);
  expect(notLoaded.map(({ name }) => name)).toEqual(
    "a.md b.md c.md d.md e.md f.md g.agent.yaml h.agent.yaml i.agent.yaml"
      .split(" ")
      .map((name) => `.claude/agents/${name}`),
  );
  expect(notLoaded.map(({ why }) => why)).toEqual([
    ".signalbox/agents/a.md has the same name and comes first",
    "a built-in agent has the same name and comes first",
    "its name may only contain letters, digits, dots, dashes and underscores",
    "it has no prompt",
    "its tools must be a list of names, or *",
    "its front matter is not valid YAML",
    expect.any(String),
    "it is not a list of keys and values",
    expect.any(String),
  ]);
});

test("a link out of the repository is not followed", () => {
  const place = placeWith({ ".claude/agents/a.md": "A.", "~/secret.md": "secret" });
  symlinkSync(join(place.userHome, "secret.md"), join(place.workspace, ".claude/agents/b.md"));
  const { agents, notLoaded } = loadAgents(place);
  expect(agents.at(-1)?.name).toBe("a");
  expect(notLoaded).toEqual([{ name: ".claude/agents/b.md", why: "a link out of the repository" }]);
});

test("a list of many is bounded, and 500 files give at most a hundred agents", () => {
  const files = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [
      `.claude/agents/agent-${n}.md`,
      `---\ndescription: ${"long ".repeat(50)}\n---\nx`,
    ]),
  );
  const { agents, notLoaded } = loadAgents(placeWith(files));
  expect([agents.length, agents.length - BUILT_IN_AGENTS.length + notLoaded.length]).toEqual([100, 500]);
  expect(showAgents(agents).length).toBeLessThan(1600);
  expect(showAgents(BUILT_IN_AGENTS)).toBe("");
});

test("huge, binary, cyclic and endless files, and things that are no files, cost nothing but a line", () => {
  const bomb = "abcdefgh".replace(/./g, (key) => {
    const before = String.fromCharCode(key.charCodeAt(0) - 1);
    return `${key}: &${key} [${Array.from({ length: 9 }, () => (key === "a" ? "x" : `*${before}`)).join()}]\n`;
  });
  const place = placeWith({
    ".claude/agents/big.md": `---\nname: big\n---\n${"x".repeat(5_000_000)}`,
    ".claude/agents/binary.md": "\0\u0001\u0002",
    ".claude/agents/bomb.agent.yaml": `${bomb}name: bomb\nprompt: x\ntools: *h\n`,
    ".claude/agents/cycle.agent.yaml": "name: cycle\nprompt: x\ntools: &a [*a]\n",
    ".claude/agents/names.md": "---\nname: names\ntools: [1, null]\n---\nx",
    ".claude/agents/proto.md": "---\nname: __proto__\n---\nx",
  });
  symlinkSync("loop.md", join(place.workspace, ".claude/agents/loop.md"));
  const { agents, notLoaded } = loadAgents(place);
  expect(agents).toEqual(BUILT_IN_AGENTS);
  expect(notLoaded.map(({ name, why }) => [name.replace(".claude/agents/", ""), why])).toEqual([
    ["big.md", "larger than 65536 bytes"],
    ["binary.md", "not a text file"],
    ["bomb.agent.yaml", expect.stringContaining("resource exhaustion")],
    ["cycle.agent.yaml", expect.stringContaining("nested more than 64 levels deep")],
    ["loop.md", "a loop of links"],
    ["names.md", "its tools must be a list of names, or *"],
    ["proto.md", expect.stringContaining("its name may only contain")],
  ]);
});
