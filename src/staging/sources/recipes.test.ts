import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { planInit } from "../plan-init.ts";
import { planStage } from "../plan-stage.ts";
import { STAGED_AGENTS } from "./staged-agents.ts";

const RECIPE =
  "name: fix\ndescription: Fixes it\ncontext: { task_description: '' }\nsteps:\n  - { id: a, command: ls }\n";

test("a repository's recipes are staged as commands or skills, and what cannot run is named", () => {
  const root = tempRepository();
  writeFiles(root, {
    ".signalbox/recipes/fix.yaml": RECIPE,
    ".claude/recipes/other.yaml": RECIPE,
    ".claude/recipes/fix.yaml": "name: [",
    "amplifier-bundle/recipes/bad name.yaml": RECIPE,
    "amplifier-bundle/recipes/broken.yaml": "name: x\nsteps: []\n",
  });
  symlinkSync("/etc/passwd", join(root, ".signalbox/recipes/link.yaml"));
  const { changes, problems } = planStage({
    root,
    home: tempFolder(),
    env: {},
    agents: STAGED_AGENTS,
    required: false,
  });
  const staged = changes.flatMap((change) =>
    change.kind === "file" && change.purpose.surface === "commands" ? [change] : [],
  );
  expect([...new Set(staged.map(({ path }) => path))].toSorted()).toEqual([
    ".agents/skills/fix/SKILL.md",
    ".agents/skills/other/SKILL.md",
    ".claude/commands/fix.md",
    ".claude/commands/other.md",
  ]);
  for (const { content } of staged)
    expect(Buffer.from(content).toString()).toMatch(/signalbox recipe run (?:fix|other) -c/);
  expect(problems.map((problem) => problem.split(":")[0])).toEqual([
    "recipes/link",
    "recipes/bad name",
    "recipes/broken",
  ]);
});

test("init copies the recipes of the ancestor's folders, the first of a name, and none that is invalid", () => {
  const root = tempRepository();
  writeFiles(root, {
    ".claude/recipes/fix.yaml": RECIPE,
    ".claude/recipes/_part.yml": RECIPE,
    "amplifier-bundle/recipes/fix.yaml": `${RECIPE}# other\n`,
    "amplifier-bundle/recipes/bad.yaml": "steps: 1\n",
    "amplifier-bundle/recipes/README.md": "notes",
  });
  const { files, folders, problems } = planInit(root);
  expect(files.flatMap(({ path, copyOf }) => (copyOf === undefined ? [] : [[path, copyOf]]))).toEqual([
    [".signalbox/recipes/_part.yml", ".claude/recipes/_part.yml"],
    [".signalbox/recipes/fix.yaml", ".claude/recipes/fix.yaml"],
  ]);
  expect(folders).toContain(".signalbox/recipes");
  expect(problems).toEqual([
    expect.stringContaining("amplifier-bundle/recipes/bad.yaml: the recipe is invalid"),
    expect.stringContaining("amplifier-bundle/recipes/fix.yaml: .claude/recipes/fix.yaml has the same name"),
  ]);
});
