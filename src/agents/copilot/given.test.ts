import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everything, writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { GivenText } from "../../contract/agent-install.ts";
import { copilotGiven } from "./install.ts";

const text = (name: string): GivenText => ({
  name,
  folder: "",
  description: "d",
  fields: { name, description: "d" },
  body: "Body.",
  from: `/r/${name}.md`,
  isOwn: false,
});

test("Copilot gets a private plugin without what it loads itself, and instructions beside the user's own", () => {
  const [folder, repository] = [tempFolder(), tempFolder()];
  writeFiles(repository, {
    ".claude/agents/a.md": "",
    ".github/agents/b.agent.md": "",
    ".agents/skills/s/SKILL.md": "",
    ".claude/commands/t.md": "",
  });
  const given = {
    agents: ["a", "b", "c"].map(text),
    commands: [],
    skills: ["s", "t", "u"].map(text),
    instructions: [
      { path: "/h/instructions.md", text: "MINE", isOwn: true },
      { path: "/r/instructions.md", text: "THEIRS", isOwn: false },
    ],
  };
  const env = { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: "/mine" };
  const { flags, env: changed } = copilotGiven({ given, folder, env, folders: [repository] });
  const place = join(folder, "given-instructions");
  expect([flags, changed]).toEqual([
    ["--plugin-dir", join(folder, "given-plugin")],
    { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: `/mine,${place}` },
  ]);
  const names = Object.keys(everything(join(folder, "given-plugin"))).filter((name) => /\.(?:md|json)$/.test(name));
  expect(names.toSorted()).toEqual(["agents/c.md", "plugin.json", "skills/u/SKILL.md"]);
  expect(readFileSync(join(place, ".github/instructions/signalbox.instructions.md"), "utf8")).toBe(
    '---\napplyTo: "**"\n---\n\nMINE\n\nTHEIRS\n',
  );
});

test("without texts nothing is added", () => {
  const parts = { folder: tempFolder(), env: {}, folders: [] };
  const empty = { agents: [], commands: [], skills: [], instructions: [] };
  expect([undefined, empty].map((given) => copilotGiven({ ...parts, given }))).toEqual([
    { flags: [], env: {} },
    { flags: [], env: {} },
  ]);
});
