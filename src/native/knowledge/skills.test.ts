import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { knowledgeScene, link } from "../../../test/support/knowledge-scene.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { loadSkills, showSkills } from "./skills.ts";

const skill = (name: string, description = `does ${name}`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBODY`;

test("skills are found in every place, in order, and of two with one name the first is used", () => {
  const folders = [
    ".signalbox",
    ".agents",
    ".claude",
    ".github",
    "~/.signalbox",
    "~/.agents",
    "~/.claude",
    "~/.copilot",
  ];
  const place = knowledgeScene({
    ...Object.fromEntries(folders.map((folder, index) => [`${folder}/skills/s${index}/SKILL.md`, skill(`s${index}`)])),
    ".github/skills/again/SKILL.md": skill("s0", "another"),
    "~/.claude/skills/s1/SKILL.md": skill("s1", "the user's"),
  });
  const { skills, notLoaded } = loadSkills(place);
  expect(skills.map(({ name, description, file, isOwn }) => [name, description, file, isOwn])).toEqual(
    folders.map((folder, at) => [`s${at}`, `does s${at}`, `${folder}/skills/s${at}/SKILL.md`, at > 3]),
  );
  expect(notLoaded).toEqual([
    {
      name: ".github/skills/again",
      why: ".signalbox/skills/s0/SKILL.md has the same name and comes first",
      expected: true,
    },
    {
      name: "~/.claude/skills/s1",
      why: ".agents/skills/s1/SKILL.md has the same name and comes first",
      expected: true,
    },
  ]);
});

test("settings add folders, which come first, and disable skills by name", () => {
  const extra = tempFolder();
  writeFiles(extra, { "x/SKILL.md": skill("x", "mine") });
  const place = knowledgeScene({
    ".claude/skills/x/SKILL.md": skill("x"),
    ".claude/skills/y/SKILL.md": skill("y"),
    "more/z/SKILL.md": skill("z"),
  });
  const { skills, notLoaded } = loadSkills(place, { directories: [extra, "more"], disabled: ["y"] });
  expect(skills.map(({ name, file }) => [name, file])).toEqual([
    ["x", join(extra, "x/SKILL.md")],
    ["z", "more/z/SKILL.md"],
  ]);
  expect(notLoaded.map(({ why }) => why)).toEqual([
    `${join(extra, "x/SKILL.md")} has the same name and comes first`,
    "disabled by the settings",
  ]);
});

test("a skill without front matter has the name of its folder and its first words", () => {
  const place = knowledgeScene({ ".claude/skills/plain/SKILL.md": "# Do it well\n\nStep one." });
  expect(loadSkills(place).skills.map(({ name, description }) => [name, description])).toEqual([
    ["plain", "Do it well"],
  ]);
});

test("what cannot be a skill is left out by name", () => {
  const outside = tempFolder();
  writeFiles(outside, { "SKILL.md": skill("outside") });
  const top = ".claude/skills";
  const place = knowledgeScene({
    [`${top}/big/SKILL.md`]: "x".repeat(5_000_000),
    [`${top}/binary/SKILL.md`]: Buffer.from([1, 0, 2]),
    [`${top}/broken/SKILL.md`]: "---\n: [\n---\nX",
    [`${top}/hidden/SKILL.md`]: "---\ndisable-model-invocation: true\n---\nX",
    [`${top}/odd/SKILL.md`]: skill('"a b"'),
    [`${top}/folder-only/README.md`]: "no skill",
    [`${top}/file.md`]: "no folder",
  });
  link(outside, join(place.workspace, top, "linked"));
  mkdirSync(join(place.workspace, top, "pipe"));
  execFileSync("mkfifo", [join(place.workspace, top, "pipe/SKILL.md")]);
  link("loop", join(place.workspace, top, "loop"));
  const { skills, notLoaded } = loadSkills(place);
  expect(skills).toEqual([]);
  expect(notLoaded.map(({ name, why }) => [name.slice(top.length + 1), why])).toEqual([
    ["big", "larger than 65536 bytes"],
    ["binary", "not a text file"],
    ["broken", "its front matter is not valid YAML"],
    ["hidden", "its front matter keeps it from the model (disable-model-invocation)"],
    ["linked", "a link out of the repository"],
    ["loop", "a loop of links"],
    ["odd", "its name may only contain letters, digits, dots, dashes and underscores"],
    ["pipe", "not a regular file"],
  ]);
});

test("a user's skill may be a link, and each reads its text when it is used", () => {
  const elsewhere = tempFolder();
  writeFiles(elsewhere, { "SKILL.md": skill("linked") });
  const place = knowledgeScene({});
  link(elsewhere, join(place.userHome, ".claude/skills/linked"));
  const [found] = loadSkills(place).skills;
  expect([found?.name, found?.folder, found?.read()]).toEqual(["linked", elsewhere, { text: "BODY" }]);
  writeFiles(elsewhere, { "SKILL.md": `${skill("linked")}, changed` });
  expect(found?.read()).toEqual({ text: "BODY, changed" });
  rmSync(join(elsewhere, "SKILL.md"));
  expect(found?.read()).toEqual({ why: "it is no longer there" });
});

test("a long list stays short: descriptions go first, names stay", () => {
  const many = Array.from({ length: 150 }, (_, index) => `s${index}`);
  const place = knowledgeScene(
    Object.fromEntries(many.map((name) => [`.claude/skills/${name}/SKILL.md`, skill(name, "long ".repeat(200))])),
  );
  const { skills, notLoaded } = loadSkills(place);
  expect([skills.length, notLoaded.length]).toEqual([100, 50]);
  const shown = showSkills(skills) ?? "";
  expect(shown.length).toBeLessThan(10_000);
  expect(skills.filter(({ name }) => !shown.includes(`\n- ${name}`))).toEqual([]);
  expect(showSkills([])).toBeUndefined();
});
