import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { GivenText, GivenTexts } from "../../contract/agent-install.ts";
import { geminiGiven } from "./given.ts";

const text = (name: string, more: Partial<GivenText> = {}): GivenText => ({
  name,
  folder: "",
  description: "d",
  fields: { name, description: "d" },
  body: "Body.",
  from: `/r/${name}.md`,
  isOwn: false,
  ...more,
});

const NOTHING: GivenTexts = { agents: [], commands: [], skills: [], instructions: [] };

function givenFiles(texts: Partial<GivenTexts>, cwd = tempFolder()) {
  const warned: string[] = [];
  const files = geminiGiven({ ...NOTHING, ...texts }, { cwd, warn: (line) => void warned.push(line) });
  return { files, warned };
}

test("Gemini gets what it does not load from the folder itself", () => {
  const cwd = tempFolder();
  writeFiles(cwd, {
    ".gemini/commands/deep/a.toml": "",
    ".agents/skills/s/SKILL.md": "---\ndescription: d\nname: s\n---\n",
    ".gemini/skills/t/SKILL.md": "---\nname: t\ndescription: d\n---\n",
    // Not loaded, because it has no name.
    ".agents/skills/u/SKILL.md": "---\ndescription: d\n---\nname: u\n",
    // Not loaded in a folder that Gemini does not trust.
    ".gemini/agents/c.md": "",
  });
  const { files } = givenFiles(
    {
      agents: [text("c")],
      commands: [text("a", { folder: "deep" }), text("b", { folder: "deep" })],
      skills: ["s", "t", "u"].map((name) => text(name)),
      instructions: [{ path: "/h/instructions.md", text: "MINE", isOwn: true }],
    },
    cwd,
  );
  expect(Object.keys(files)).toEqual(["agents/c.md", "commands/deep/b.toml", "skills/u/SKILL.md", "GEMINI.md"]);
  expect([givenFiles({}).files, geminiGiven(undefined, { cwd, warn: () => {} })]).toEqual([{}, {}]);
});

test.each([
  ["Fix $ARGUMENTS and $ARGUMENTSX", "Fix {{args}} and $ARGUMENTSX"],
  ["Fix $1", "`$1`, `$2` stand for the words of: {{args}}\n\nFix $1"],
  ["Now !`date`.", "Now `date` (run this command and use its output here)."],
  ["!{rm x} @{.env} x!{y}", "! {rm x} @ {.env} x! {y}"],
  ["@.env\n@/etc/x and a@b.c", "@ .env\n@ /etc/x and a@b.c"],
])("the command %j becomes %j", (body, prompt) => {
  const { files } = givenFiles({ commands: [text("x", { body })] });
  expect(files["commands/x.toml"]).toBe(`description = "d"\nprompt = ${JSON.stringify(prompt)}\n`);
});

test("instructions import nothing", () => {
  const { files } = givenFiles({ instructions: [{ path: "/r/i.md", text: "Read @.env", isOwn: false }] });
  expect(files["GEMINI.md"]).toBe("Contents of /r/i.md (project instructions):\n\nRead @ .env");
});

test("an agent has only keys, tools and a name that Gemini takes", () => {
  const fields = { name: "Owl.X", description: "d", tools: "read_file, Frobnicate, mcp_docs_*", color: "red" };
  const { files, warned } = givenFiles({
    agents: [
      text("Owl.X", { fields, body: "Use ${HOME}/x, ${A}b and ${a.b}." }),
      text("owl-x"),
      text("none", { fields: { tools: ["Frobnicate"] } }),
      text("plain", { fields: { model: "gemini-2.5-pro", disallowedTools: ["x"] } }),
    ],
  });
  expect(files).toEqual({
    "agents/owl-x.md":
      '---\nname: "owl-x"\ndescription: "d"\ntools: ["read_file","mcp_docs_*"]\n---\n\nUse $HOME/x, $ {A}b and ${a.b}.\n',
    "agents/plain.md": '---\nname: "plain"\ndescription: "d"\nmodel: "gemini-2.5-pro"\n---\n\nBody.\n',
  });
  expect(warned).toEqual([
    "left out, because Gemini CLI has none of their tools or knows another by that name: owl-x, none",
  ]);
});
