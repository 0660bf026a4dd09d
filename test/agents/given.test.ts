import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, writeFiles } from "../support/git-repository.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { isInstalled, PROVABLE, type RealAgent, realAgent, type RealName, UNATTENDED } from "./real-agent.ts";

type Name = (typeof PROVABLE)[number];

const agentText = (mark: string, more = "") => `---\ndescription: ${mark}KIND\n${more}---\n${mark}BODY\n`;

/** What a repository has, without anything staged. */
const REPOSITORY = {
  ".env": "MARKSECRET",
  ".signalbox/agents/owl.md": agentText("OWL", "model: sonnet\n"),
  ".signalbox/agents/team/tight.md": agentText("TIGHT", "tools: Read, Grep\n"),
  ".signalbox/commands/fix.md": "---\ndescription: FIXKIND\n---\nFIXBODY $ARGUMENTS\n",
  ".signalbox/commands/deep/dive.md": "---\ndescription: DIVEKIND\n---\nDIVEBODY\n",
  ".signalbox/skills/notes/SKILL.md":
    "---\ndescription: NOTESKIND\nallowed-tools: Bash\n---\nNOTESBODY !`touch ran-skill` @.env\n",
  ".signalbox/instructions.md": "REPOTEXT @.env\n",
};

/** What the person has in the home, with one agent of the same name. */
const HOME = {
  ".signalbox/agents/owl.md": agentText("HIDDEN"),
  ".signalbox/agents/mine.md": agentText("MINE"),
  ".signalbox/skills/own/SKILL.md": "---\ndescription: OWNKIND\n---\nOWNBODY\n",
  ".signalbox/instructions.md": "OWNTEXT\n",
};

const MARKS = ["OWLKIND", "MINEKIND", "NOTESKIND", "OWNKIND", "FIXKIND", "DIVEKIND", "REPOTEXT", "OWNTEXT"];

/** How each agent hands a part to a sub-agent of a launch, and opens a skill. */
const CALLS = {
  claude: {
    delegate: (name: string, prompt: string) => ({
      name: "Agent",
      input: { description: "a part", prompt, subagent_type: `signalbox:${name}`, run_in_background: false },
    }),
    skill: { name: "Skill", input: { skill: "signalbox:notes" } },
    // Claude Code would read the file without asking.
    secret: { name: "Skill", input: { skill: "signalbox:fix", args: "@.env" } },
  },
  codex: {
    delegate: (name: string, message: string) => ({
      name: "spawn_agent",
      input: { message, task_name: `part_${name}`, agent_type: name },
    }),
    skill: { name: "exec_command", input: { cmd: "cat .signalbox/skills/notes/SKILL.md" } },
    secret: { name: "exec_command", input: { cmd: "cat .env" } },
  },
  copilot: {
    delegate: (name: string, prompt: string) => ({
      name: "task",
      input: { agent_type: `signalbox:${name}`, name: "part", description: "a part", prompt, mode: "sync" },
    }),
    skill: { name: "skill", input: { skill: "notes" } },
    secret: { name: "skill", input: { skill: "fix", args: "@.env" } },
  },
} as const;

const PART = "GIVEN-PART: answer about @.env";

const textsOf = ({ model }: RealAgent) => model.requests.map(({ body }) => JSON.stringify(body));
const counts = (text: string | undefined, marks: readonly string[]) =>
  Object.fromEntries(marks.map((mark) => [mark, (text ?? "").split(mark).length - 1]));
const once = (marks: readonly string[]) => Object.fromEntries(marks.map((mark) => [mark, 1]));

async function prepared(name: RealName, script: Parameters<typeof realAgent>[1]): Promise<RealAgent> {
  const agent = await realAgent(name, script);
  writeFiles(agent.cwd, REPOSITORY);
  writeFiles(agent.env["HOME"] ?? "", HOME);
  git(agent.cwd, "add", "-A");
  git(agent.cwd, "commit", "-qm", "first");
  return agent;
}

const launch = (name: Name, { cwd, env }: RealAgent) =>
  signalbox([name, "-p", "work", "--", ...UNATTENDED[name]], { cwd, env });

test.each(PROVABLE)(
  "%s gets the agents, skills, commands and instructions of repository and home, and nothing of them runs",
  async (name) => {
    const { delegate, skill, secret } = CALLS[name];
    await using agent = await prepared(name, {
      scenes: [
        { when: { contains: PART }, turns: [{ text: "The part is done." }, { text: "The part is done." }] },
        {
          turns: [
            { calls: [delegate("owl", PART)] },
            { calls: [delegate("tight", PART)] },
            { calls: [skill] },
            { calls: [secret] },
            { text: "Done.", delay_ms: 1500 },
            { text: "Done." },
            { text: "Done." },
          ],
        },
      ],
    });
    const outcome = await launch(name, agent);
    expect([outcome.code, counts(textsOf(agent)[0], MARKS)]).toEqual([0, once(MARKS)]);
    const parts = agent.model.requests.filter(({ scene }) => scene === 0).map(({ body }) => JSON.stringify(body));
    expect(parts.filter((text) => text.includes("OWLBODY")).length).toBe(1);
    const all = textsOf(agent).join("\n");
    const seen = ["NOTESBODY", "HIDDENKIND", "HIDDENBODY", "MARKSECRET"].map((mark) => all.includes(mark));
    expect([seen, existsSync(join(agent.cwd, "ran-skill"))]).toEqual([[true, false, false, false], false]);
    expect(outcome.stderr).toContain("this repository replaces texts of the same name");
    // Codex cannot limit an agent to some tools, so it does not get that one.
    const tight = agent.model.requests
      .filter(({ scene, body }) => scene === 0 && JSON.stringify(body).includes("TIGHTBODY"))
      .map(({ toolNames }) => toolNames);
    const limits = { claude: [["Read", "Grep"]], copilot: [["view", "grep"]], codex: [] };
    expect([tight, all.includes("TIGHTKIND")]).toEqual([limits[name], name !== "codex"]);
    expect(outcome.stderr.includes("agents/tight: it may only use Read, Grep")).toBe(name === "codex");
    expect(git(agent.cwd, "status", "--porcelain")).toBe("");
  },
);

test.each(PROVABLE)("%s in a run in a staged repository gets each of them once", async (name) => {
  await using agent = await prepared(name, { turns: [{ text: "done" }] });
  const { cwd, env } = agent;
  const staged = await signalbox(["stage"], { cwd, env });
  const flags = ["--param", `flags=${JSON.stringify(name === "claude" ? UNATTENDED.claude : [])}`];
  const outcome = await signalbox(["run", name, "work", ...flags], { cwd, env });
  expect([staged.code, outcome.code, counts(textsOf(agent)[0], MARKS)]).toEqual([0, 0, once(MARKS)]);
  // What stage wrote is text, but for the one skill that would run a command.
  const untrusted = /[^\n]*can start programs and is not trusted/.exec(outcome.stdout + outcome.stderr)?.[0];
  if (name === "claude") expect(untrusted).toMatch(/(?:^|\s)\.claude\/skills\/notes\/SKILL\.md in this repository/);
});

/** Gemini CLI is an optional dependency of the pinned agents. */
test.skipIf(!isInstalled("gemini"))(
  "gemini gets them in a private extension, also when the user names extensions, and nothing of them runs",
  { timeout: 180_000 },
  async () => {
    const delegate = (agent_name: string) => ({ name: "invoke_agent", input: { agent_name, prompt: PART } });
    const done = { calls: [{ name: "complete_task", input: { result: "done" } }] };
    await using agent = await prepared("gemini", {
      scenes: [
        { when: { contains: PART }, turns: [done, done] },
        {
          turns: [
            { calls: [delegate("owl")] },
            { calls: [delegate("tight")] },
            { calls: [{ name: "activate_skill", input: { name: "notes" } }] },
            { text: "Done." },
          ],
        },
      ],
    });
    const { cwd, env } = agent;
    const home = env["HOME"] ?? "";
    writeFiles(cwd, {
      ".signalbox/commands/fix.md":
        "---\ndescription: FIXKIND\n---\nFIXBODY $ARGUMENTS !`touch ran-old` !{touch ran-command} @{.env} @.env\n",
    });
    git(cwd, "commit", "-qam", "second");
    const outcome = await signalbox(["gemini", "-p", "/fix GIVENWORDS", "--", "--yolo", "-e", "none"], { cwd, env });
    const [first = ""] = textsOf(agent);
    const all = textsOf(agent).join("\n");
    const listed = MARKS.filter((mark) => mark !== "FIXKIND" && mark !== "DIVEKIND");
    expect([outcome.code, counts(first, listed)]).toEqual([0, once(listed)]);
    expect(outcome.stderr).toContain("this repository replaces texts of the same name");
    const seen = ["FIXBODY GIVENWORDS", "OWLBODY", "TIGHTBODY", "NOTESBODY"].map((mark) => all.includes(mark));
    expect(seen).toEqual([true, true, true, true]);
    expect(["HIDDENKIND", "HIDDENBODY", "MARKSECRET"].filter((mark) => all.includes(mark))).toEqual([]);
    const tight = agent.model.requests.find(
      ({ scene, body }) => scene === 0 && JSON.stringify(body).includes("TIGHTBODY"),
    );
    expect(tight?.toolNames.toSorted()).toEqual(["complete_task", "grep_search", "read_file"]);
    expect(git(cwd, "status", "--porcelain")).toBe("");
    expect(existsSync(join(home, ".gemini/extensions"))).toBe(false);
  },
);
