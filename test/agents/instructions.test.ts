import { appendFileSync, chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostileFiles } from "../../src/proof/plan-repository.ts";
import { git, writeFiles } from "../support/git-repository.ts";
import { type Outcome, PROJECT, signalbox } from "../support/run-signalbox.ts";
import { OFFLINE, PROVABLE, type RealAgent, realAgent, UNATTENDED } from "./real-agent.ts";

const PART = "INSTRUCTED-PART: answer.";

/** A session that gives a part of its work to a sub-agent. */
const delegating = (name: (typeof PROVABLE)[number]) => ({
  scenes: [
    { when: { contains: PART }, turns: [{ text: "The part is done." }] },
    {
      turns: [
        { calls: [OFFLINE[name].delegate(PART)] },
        { text: "Waiting.", delay_ms: 1500 },
        { text: "Done." },
        { text: "Done again." },
      ],
    },
  ],
});

const marksIn = ({ model }: RealAgent, marks: readonly string[]) =>
  model.requests.map(({ body }) => marks.map((mark) => JSON.stringify(body).split(mark).length - 1));

/** How often each mark stands in the requests of the session and of its sub-agent. */
const everywhere = (agent: RealAgent, marks: readonly string[]) => [
  ...new Set(marksIn(agent, marks).map((counts) => counts.join(","))),
];

/** Puts hooks and servers of a stranger into the repository; each leaves a file when it is started. */
async function plant(cwd: string): Promise<void> {
  writeFiles(cwd, await hostileFiles(cwd));
  chmodSync(join(cwd, "hostile.sh"), 0o755);
}
const ranIn = (cwd: string) => ["hostile-hook", "hostile-server"].filter((name) => existsSync(join(cwd, name)));

const launch = (name: (typeof PROVABLE)[number], agent: RealAgent, more: { cwd?: string; flags?: readonly string[] }) =>
  signalbox([name, "-p", "work", "--", ...(more.flags ?? []), ...UNATTENDED[name]], {
    cwd: more.cwd ?? agent.cwd,
    env: agent.env,
  });

test.each(PROVABLE)(
  "%s gets AGENTS.md of the top and of its folder once, in sub-agents too, and none of the repository's programs",
  async (name) => {
    await using agent = await realAgent(name, delegating(name));
    await plant(agent.cwd);
    writeFiles(agent.cwd, { "AGENTS.md": "MARKTOP", "sub/AGENTS.md": "MARKSUB" });
    const outcome = await launch(name, agent, { cwd: join(agent.cwd, "sub") });
    expect([outcome.code, ranIn(agent.cwd)]).toEqual([0, []]);
    expect(agent.model.requests.some(({ scene }) => scene === 0)).toBe(true);
    expect(everywhere(agent, ["MARKTOP", "MARKSUB"])).toEqual(["1,1"]);
  },
);

test.each(PROVABLE)("%s in a run gets AGENTS.md and none of the repository's programs", async (name) => {
  await using agent = await realAgent(name, { turns: [{ text: "done" }] });
  await plant(agent.cwd);
  writeFiles(agent.cwd, { "AGENTS.md": "MARKTOP" });
  git(agent.cwd, "add", "-A");
  git(agent.cwd, "commit", "-qm", "first");
  const flags = ["--param", `flags=${JSON.stringify(name === "claude" ? UNATTENDED.claude : [])}`];
  const outcome = await signalbox(["run", name, "work", ...flags], { cwd: agent.cwd, env: agent.env });
  expect([outcome.code, ranIn(agent.cwd), everywhere(agent, ["MARKTOP"])]).toEqual([0, [], ["1"]]);
});

test("claude gets imports of AGENTS.md from inside the workspace alone, beside the person's own additions", async () => {
  await using agent = await realAgent("claude", { turns: [{ text: "done" }] });
  const { cwd, env } = agent;
  const home = env["HOME"] ?? "";
  writeFiles(home, { "outside.md": "MARKOUT", "own.md": "MARKFILE" });
  writeFiles(cwd, {
    "AGENTS.md": `MARKTOP @docs/a.md @${home}/outside.md @~/outside.md @../x.md`,
    "docs/a.md": "MARKIMPORT @../AGENTS.md",
    "sub/x": "",
  });
  const flags = ["--append-system-prompt", "MARKTEXT", "--append-system-prompt-file", join(home, "own.md")];
  const outcome = await launch("claude", agent, { cwd: join(cwd, "sub"), flags });
  const marks = ["MARKTOP", "MARKIMPORT", "MARKOUT", "MARKTEXT", "MARKFILE"];
  expect([outcome.code, everywhere(agent, marks)]).toEqual([0, ["1,1,0,1,1"]]);
  expect(outcome.stderr).toContain("imported from outside the workspace");
});

test("claude gets no secret through CLAUDE.md or a rule, and the rest once, though its folder is given to it", async () => {
  await using agent = await realAgent("claude", delegating("claude"));
  const { cwd, env } = agent;
  const home = env["HOME"] ?? "";
  writeFiles(home, { ".ssh/id_rsa": "MARKKEY" });
  writeFiles(cwd, {
    "CLAUDE.md": `MARKTOP @docs/a.md **@.env** @.env\n\n\`\`\` a\`b\n@${cwd}/.env\n\`\`\``,
    "docs/a.md": "MARKIMPORT",
    ".env": "MARKENV",
    ".claude/rules/r.md": "MARKRULE @../../.env",
  });
  symlinkSync(join(home, ".ssh/id_rsa"), join(cwd, ".claude/CLAUDE.md"));
  const outcome = await launch("claude", agent, { flags: ["--add-dir", cwd] });
  const marks = ["MARKTOP", "MARKIMPORT", "MARKRULE", "MARKENV", "MARKKEY"];
  expect([outcome.code, everywhere(agent, marks)]).toEqual([0, ["1,1,1,0,0"]]);
  expect(outcome.stderr).toContain(".claude/CLAUDE.md (it is a link out of the workspace)");
  expect(outcome.stderr).toContain(".env (the policy denies reading it)");
});

test.each([
  [{ "CLAUDE.md": "MARKCLAUDE" }, "1,0,0"],
  [{ "CLAUDE.local.md": "MARKLOCAL" }, "0,1,0"],
  [{ "CLAUDE.md": "MARKCLAUDE", "CLAUDE.local.md": "MARKLOCAL" }, "1,1,0"],
  [{ ".claude/rules/r.md": "MARKCLAUDE" }, "1,0,1"],
])("claude gets of %j and AGENTS.md what it gets without signalbox", async (files, expected) => {
  const given = [];
  for (const bare of [true, false]) {
    await using agent = await realAgent("claude", { turns: [{ text: "done" }] });
    writeFiles(agent.cwd, { "AGENTS.md": "MARKAGENTS", ...files });
    const words = ["-p", "work", ...(bare ? ["--unguarded"] : []), "--", ...UNATTENDED.claude];
    await signalbox(["claude", ...words], { cwd: agent.cwd, env: agent.env });
    given.push(...everywhere(agent, ["MARKCLAUDE", "MARKLOCAL", "MARKAGENTS"]));
  }
  expect(given).toEqual([expected, expected]);
});

test("codex keeps the person's own instructions, and a resumed conversation has all of them once", async () => {
  await using agent = await realAgent("codex", { turns: [{ text: "done" }, { text: "done again" }] });
  const config = join(agent.env["HOME"] ?? "", ".codex/config.toml");
  writeFileSync(config, `developer_instructions = "MARKOWN"\n${readFileSync(config, "utf8")}`);
  writeFiles(agent.cwd, { "AGENTS.md": "MARKTOP", "AGENTS.override.md": "MARKOVER" });
  expect((await launch("codex", agent, {})).code).toBe(0);
  expect((await launch("codex", agent, { flags: ["exec", "resume", "--last"] })).code).toBe(0);
  expect(marksIn(agent, ["MARKOWN", "MARKOVER", "MARKTOP"])).toEqual([
    [1, 1, 0],
    [1, 1, 0],
  ]);
  await launch("codex", agent, { flags: ["-c", 'developer_instructions="MARKFLAG"'] });
  expect(marksIn(agent, ["MARKOWN", "MARKOVER", "MARKFLAG"]).at(-1)).toEqual([0, 1, 1]);
});

/** Whether the model was offered tools of the server, in any request. */
const offersServer = ({ model }: RealAgent) =>
  model.requests.some(({ body }) => JSON.stringify(body).includes('"mcp__small"'));

test("codex gets staged agents as they are, and staged servers once they are trusted", async () => {
  const input = { message: PART, task_name: "part", agent_type: "owl" };
  const script = {
    scenes: [
      { when: { contains: PART }, turns: [{ text: "The part is done." }] },
      { turns: [{ calls: [{ name: "spawn_agent", input }] }, { text: "Waiting.", delay_ms: 1500 }, { text: "Done." }] },
    ],
  };
  await using agent = await realAgent("codex", script);
  const { cwd, env } = agent;
  const server = { command: process.execPath, args: [join(PROJECT, "test/fixtures/mcp-server.mjs")] };
  writeFiles(cwd, {
    "AGENTS.md": "MARKTOP",
    ".signalbox/agents/owl.md": "---\ndescription: MARKKIND\n---\nMARKBODY\n",
    ".signalbox/mcp.json": JSON.stringify({ mcpServers: { small: server } }),
  });
  expect((await signalbox(["stage", "codex"], { cwd, env })).code).toBe(0);
  const first = await launch("codex", agent, {});
  const part = agent.model.requests.filter(({ scene }) => scene === 0).map(({ body }) => JSON.stringify(body));
  expect([first.code, part.map((body) => ["MARKBODY", "MARKTOP"].map((mark) => body.includes(mark)))]).toEqual([
    0,
    [[true, true]],
  ]);
  expect([marksIn(agent, ["MARKKIND"])[0], offersServer(agent)]).toEqual([[1], false]);
  expect(first.stderr).toContain(".codex/config.toml in this repository can start programs and is not trusted");
  expect((await signalbox(["trust", "--yes"], { cwd, env })).code).toBe(0);
  const second: Outcome = await launch("codex", agent, {});
  expect([second.code, offersServer(agent), second.stderr.includes("not trusted")]).toEqual([0, true, false]);
  appendFileSync(join(cwd, ".codex/config.toml"), "\n# changed\n");
  expect((await launch("codex", agent, {})).stderr).toContain("is not trusted");
});
