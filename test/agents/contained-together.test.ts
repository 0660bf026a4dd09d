import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startScriptedModel } from "../../src/models/scripted/server.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { hasSandbox } from "../support/sandbox-scene.ts";
import { containedAgent } from "./contained-agent.ts";

/** Waits for the other session in the workspace, and shows that both have a /tmp of their own. */
const meet = (own: string, other: string) => ({
  turns: [
    { shell: `echo ${own} >/tmp/mine; touch ${own}; until [ -e ${other} ]; do sleep 0.1; done` },
    { shell: `cat /tmp/mine >met-${own}` },
    { text: "done" },
  ],
});

test.skipIf(!hasSandbox)("two launches at once in one workspace do not disturb each other", async () => {
  await using first = await containedAgent("claude", meet("one", "two"));
  await using second = await startScriptedModel({ script: meet("two", "one") });
  const { cwd, env } = first;
  const envs = [env, { ...env, ANTHROPIC_BASE_URL: second.url }];
  const outcomes = await Promise.all(envs.map((each) => signalbox(["claude", "-p", "work"], { cwd, env: each })));
  const met = ["one", "two"].map((name) => readFileSync(join(cwd, `met-${name}`), "utf8"));
  expect([outcomes.map(({ code }) => code), met]).toEqual([
    [0, 0],
    ["one\n", "two\n"],
  ]);
  for (const { stderr } of outcomes) expect(stderr).not.toContain("contained: no");
});

test.skipIf(!hasSandbox)(
  "a gigabyte of output of a contained command is bounded, and the session survives it",
  async () => {
    await using agent = await containedAgent("native", {
      turns: [{ shell: "head -c 1G /dev/zero; touch after-it" }, { shell: "touch next" }, { text: "done" }],
    });
    const { code } = await signalbox(["native", "-p", "work"], agent);
    expect([code, ...["after-it", "next"].map((name) => existsSync(join(agent.cwd, name)))]).toEqual([0, true, true]);
    expect(JSON.stringify(agent.model.requests.at(-1)?.body).length).toBeLessThan(500_000);
  },
);

test.skipIf(!hasSandbox).each(["claude", "codex"] as const)(
  "a git that is planted on PATH never runs outside for %s, and a tool of the project is found inside",
  async (name) => {
    await using agent = await containedAgent(name, {
      turns: [{ shell: "project-tool >found" }, { text: "done" }],
    });
    const { cwd, home } = agent;
    const bin = join(cwd, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    const planted = {
      git: `#!/bin/sh\necho ran >>'${join(home, "planted")}'\nexit 1\n`,
      "project-tool": "#!/bin/sh\necho it\n",
    };
    for (const [program, text] of Object.entries(planted)) writeFileSync(join(bin, program), text, { mode: 0o755 });
    const env = { ...agent.env, PATH: `${bin}:${agent.env["PATH"]}` };
    const { code, stderr } = await signalbox([name, "-p", "work"], { cwd, env });
    expect([code, existsSync(join(home, "planted")), readFileSync(join(cwd, "found"), "utf8")]).toEqual([
      0,
      false,
      "it\n",
    ]);
    expect(stderr).not.toContain("contained: no");
  },
);
