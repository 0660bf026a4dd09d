import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../test/support/git-repository.ts";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { launchTexts } from "./launch-texts.ts";

type Files = Readonly<Record<string, string>>;

function given(repository: Files, home: Files = {}, agent = "claude") {
  const place = { workspace: tempRepository(), home: tempFolder() };
  writeFiles(place.workspace, repository);
  writeFiles(place.home, home);
  const said: string[] = [];
  const read = (mayRead: (path: string) => boolean = () => true, name = agent) =>
    launchTexts(
      name,
      { ...place, mayRead, trusts: (_, text) => text.includes("trusted"), warn: (text) => void said.push(text) },
      [
        { path: join(place.workspace, ".signalbox/recipes"), origin: "repository" },
        { path: join(place.home, "recipes"), origin: "user" },
      ],
      true,
    );
  return { ...place, said, read };
}

const agentText = (more: string, body = "Body.") => `---\ndescription: Does it\n${more}---\n${body}\n`;

test("only keys that start and grant nothing are given, and names come from the files", () => {
  const hostile = agentText(
    "name: ../../x\nhooks: {PreToolUse: [{hooks: [{type: command, command: evil}]}]}\nmcpServers: {a: {command: evil}}\npermissionMode: bypassPermissions\ntools: Read\n",
  );
  const { read, workspace } = given({
    ".signalbox/agents/owl.md": hostile,
    ".signalbox/commands/sub/fix.md": agentText("allowed-tools: Bash(*)\nargument-hint: WHAT\nshell: powershell\n"),
    ".signalbox/skills/s/SKILL.md": agentText("allowed-tools: Bash\nhooks: {}\n"),
    ".signalbox/skills/s/run.sh": "",
  });
  const texts = read();
  expect(texts?.agents).toEqual([
    {
      name: "owl",
      folder: "",
      description: "Does it",
      fields: { name: "owl", description: "Does it", tools: "Read" },
      body: "Body.",
      from: join(workspace, ".signalbox/agents/owl.md"),
      isOwn: false,
    },
  ]);
  expect(texts?.commands.map(({ fields, folder }) => [folder, fields])).toEqual([
    ["sub", { description: "Does it", "argument-hint": "WHAT" }],
  ]);
  expect(texts?.skills.map(({ fields, body }) => [fields, body])).toEqual([
    [
      { name: "s", description: "Does it" },
      `The other files of this skill are in ${join(workspace, ".signalbox/skills/s")}.\n\nBody.`,
    ],
  ]);
});

test("a text of the repository replaces the user's of the same name, which is said once, and instructions add up", () => {
  const { read, said, home } = given(
    { ".signalbox/agents/a.md": agentText("", "Theirs."), ".signalbox/instructions.md": "theirs" },
    {
      "agents/a.md": agentText("", "Mine."),
      "agents/b.md": agentText("", "Mine too."),
      "skills/c/SKILL.md": agentText(""),
      "instructions.md": "mine",
    },
  );
  const texts = read();
  expect(texts?.agents.map(({ name, body, isOwn }) => [name, body, isOwn])).toEqual([
    ["a", "Theirs.", false],
    ["b", "Mine too.", true],
  ]);
  expect(texts?.instructions.map(({ text }) => text)).toEqual(["mine", "theirs"]);
  expect(said).toEqual([`this repository replaces texts of the same name in ${home}: agents/a`]);
});

test("commands are skills for an agent without commands, with their marks explained, behind real skills", () => {
  const { read } = given(
    {
      ".signalbox/commands/fix.md": agentText("", "Fix $ARGUMENTS after !`git status`."),
      ".signalbox/commands/sub/plain.md": agentText(""),
      ".signalbox/commands/s.md": agentText("", "The command."),
      ".signalbox/skills/s/SKILL.md": agentText("", "The skill."),
    },
    {},
    "codex",
  );
  const texts = read();
  expect(texts?.commands).toEqual([]);
  expect(texts?.skills.map(({ name, body }) => [name, body])).toEqual([
    ["s", "The skill."],
    ["fix", expect.stringMatching(/^`\$ARGUMENTS` stands for .* run each command .*\n\nFix \$ARGUMENTS after/)],
    ["sub-plain", "Body."],
  ]);
});

test("an agent that would be able to do more than its author allows is left out by name", () => {
  const { read, said } = given({
    ".signalbox/agents/reader.md": agentText("tools: Read\n"),
    ".signalbox/agents/planner.md": agentText("permissionMode: plan\n"),
    ".signalbox/agents/shell.md": agentText("tools: Bash, Read\nmodel: sonnet\n"),
  });
  expect(read(undefined, "codex")?.agents.map(({ name, fields }) => [name, fields["model"]])).toEqual([
    ["shell", undefined],
  ]);
  expect(said).toEqual([
    "left out of what .signalbox gives Codex CLI: agents/planner: it only plans (permissionMode), and Codex CLI cannot limit an agent to that; agents/reader: it may only use Read, and Codex CLI cannot limit an agent's tools",
  ]);
  expect(read(undefined, "claude")?.agents.map(({ name }) => name)).toEqual(["reader", "shell"]);
});

test("what must not or cannot be read is left out and named, and everything else is given", () => {
  const { read, said, workspace } = given({
    ".signalbox/agents/good.md": agentText(""),
    ".signalbox/agents/README.md": "# About these\n",
    ".signalbox/agents/broken.md": "---\n: [\n---\nx\n",
    ".signalbox/agents/large.md": "x".repeat(10 * 1024 * 1024),
    ".signalbox/agents/one/twin.md": agentText("", "First."),
    ".signalbox/agents/two/twin.md": agentText("", "Second."),
    ".signalbox/agents/bad name.md": agentText(""),
    ".signalbox/agents/closed.md": agentText(""),
    ".signalbox/skills/empty/notes.md": "",
    ".signalbox/commands/text.txt": "",
  });
  const outside = tempFolder();
  writeFileSync(join(outside, "secret.md"), agentText("", "SECRET"));
  symlinkSync(join(outside, "secret.md"), join(workspace, ".signalbox/agents/link.md"));
  symlinkSync(outside, join(workspace, ".signalbox/agents/folder"));
  symlinkSync(join(workspace, ".signalbox/commands"), join(workspace, ".signalbox/commands/loop"));
  writeFileSync(join(workspace, ".signalbox/instructions.md"), Buffer.from([0xff, 0xfe, 0x00]));
  const texts = read((path) => !path.endsWith("closed.md"));
  expect(texts?.agents.map(({ name, body }) => [name, body])).toEqual([
    ["good", "Body."],
    ["twin", "First."],
  ]);
  expect([texts?.commands, texts?.skills, texts?.instructions]).toEqual([[], [], []]);
  expect(said).toEqual([expect.stringMatching(/^left out of what \.signalbox gives Claude Code: .*; and \d more$/)]);
  for (const name of ["bad name", "broken", "closed", "large", "link"]) expect(said[0]).toContain(`agents/${name}.md`);
});

test("of a thousand agents the first two hundred are given, and that is said", () => {
  const { read, said, workspace } = given({});
  mkdirSync(join(workspace, ".signalbox/agents"), { recursive: true });
  for (let index = 0; index < 1000; index++)
    writeFileSync(join(workspace, `.signalbox/agents/a${String(index).padStart(4, "0")}.md`), agentText(""));
  expect(read()?.agents.length).toBe(200);
  expect(said).toEqual([expect.stringContaining("only the first 200 of 1000 fit into a launch")]);
});

test("instructions that are staged are not given a second time, edited ones are", async () => {
  const { instructionSurface } = await import("./text-surface.ts");
  const { insert } = await import("./additions.ts");
  const { STAGED } = await import("./sources/staged-agents.ts");
  const { read, workspace } = given({ ".signalbox/instructions.md": "Be kind.\n" });
  expect(read()?.instructions.length).toBe(1);
  for (const agent of STAGED.filter(({ name }) => name === "claude"))
    for (const change of instructionSurface(agent, "Be kind.\n", () => undefined))
      if (change.kind === "block") writeFileSync(join(workspace, change.path), insert("", change)?.text ?? "");
  expect(read()?.instructions).toEqual([]);
  writeFileSync(join(workspace, ".signalbox/instructions.md"), "Be kinder.\n");
  expect(read()?.instructions.length).toBe(1);
});

test("an agent that gets nothing is named", () => {
  const { read, said } = given({ ".signalbox/agents/a.md": agentText("") });
  expect([read(undefined, "amplifier"), said]).toEqual([
    undefined,
    ["a launch of amplifier gives it no agents, skills, commands or instructions from .signalbox"],
  ]);
});

const recipe = (more = "", step = "true") => `name: r\n${more}steps:\n  - { id: a, command: ${step} }\n`;

test("recipes become commands that call them, or skills where an agent has no commands", () => {
  const described = recipe(
    "description: Fix it !`rm -rf x` @.env\ninputs:\n  task: { description: 'what to do' }\n  tries: { type: number, default: 3 }\n",
  );
  const { read, home } = given({}, { "recipes/fix.yaml": described, "recipes/_part.yaml": recipe() });
  const [command] = read()?.commands ?? [];
  expect(command).toMatchObject({
    name: "fix",
    description: "Fix it rm -rf x .env",
    from: join(home, "recipes/fix.yaml"),
    isOwn: true,
  });
  expect(command?.body).toContain("signalbox recipe run fix -c KEY='VALUE' --json");
  expect(command?.body).toContain("- task (string, required): what to do\n- tries (number, usually 3)\n");
  expect(command?.body).toContain("The user wrote: $ARGUMENTS");
  expect(read()?.commands.length).toBe(1);
  const codex = read(undefined, "codex");
  expect(codex?.commands).toEqual([]);
  expect(codex?.skills.map(({ name, fields }) => [name, Object.keys(fields)])).toEqual([
    ["fix", ["name", "description"]],
  ]);
});

test("a repository's recipe is given only if it is trusted, and hides yours of the same name either way", () => {
  const { read, said } = given(
    {
      ".signalbox/recipes/good.yaml": recipe("", "echo trusted"),
      ".signalbox/recipes/bad.yaml": recipe(),
      ".signalbox/recipes/child.yaml": `extends: bad\n${recipe("", "echo trusted").replace("id: a", "id: b").replace("name: r", "name: c")}`,
      ".signalbox/recipes/broken.yaml": "name: x\n",
      ".signalbox/recipes/taken.yaml": recipe("", "echo trusted"),
      ".signalbox/recipes/secret.yaml": recipe("", "echo trusted"),
      ".signalbox/commands/taken.md": agentText(""),
    },
    { "recipes/bad.yaml": recipe(), "recipes/mine.yaml": recipe() },
  );
  const texts = read((path) => !path.endsWith("secret.yaml"));
  expect(texts?.commands.map(({ name, body }) => [name, body.startsWith("Run this one command")])).toEqual([
    ["taken", false],
    ["good", true],
    ["mine", true],
  ]);
  expect(said).toEqual([expect.stringMatching(/^left out of what .signalbox gives Claude Code: recipes\/broken: /)]);
  for (const name of ["bad", "child"]) expect(said[0]).toContain(`recipes/${name}: it is not trusted`);
  expect(said[0]).toContain("recipes/secret: the policy denies reading it");
});
