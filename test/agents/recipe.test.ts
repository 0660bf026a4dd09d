import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../support/contained-work.ts";
import { isOnPath } from "../support/is-on-path.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { CONTAINED, containedAgent } from "./contained-agent.ts";
import { tempFolder, tempRepository } from "../support/temp-folder.ts";
import { PINNED, UNATTENDED } from "./real-agent.ts";

/** Trusted, because it is the user's own; so its last step would leave the sandbox if a person had started it. */
const RECIPE = `
name: greet
steps:
  - id: hello
    output: said
    command: echo "hello {{who}}" | tee said.txt; touch "$HOME/outside" ~/../outside 2>/dev/null; true
  - id: leave
    contained: false
    command: touch left.txt
`;

test("an agent step fails with the agent's own error, and is not tried again without a key", async () => {
  const [cwd, home] = [tempRepository(), tempFolder()];
  writeFiles(home, {
    ".codex/config.toml": `model = "m"
model_provider = "x"
[model_providers.x]
name = "x"
base_url = "http://127.0.0.1:9/v1"
env_key = "NO_SUCH_KEY"
wire_api = "responses"
`,
  });
  writeFiles(cwd, {
    "ask.yaml": "name: ask\nsteps:\n  - { id: ask, prompt: hello, retry: { times: 2 } }\n",
    "loop.yaml": "name: loop\nsteps:\n  - { id: again, recipe: ask, retry: { times: 2 } }\n",
  });
  const env = { PATH: PINNED, HOME: home };
  const { code, stdout, stderr } = await signalbox(["recipe", "run", "./loop.yaml", "--agent", "codex", "--json"], {
    cwd,
    env,
  });
  expect([code, JSON.parse(stdout).step_results[0].error, stderr.match(/tried again/g)]).toEqual([
    1,
    "ask: the agent failed: Missing environment variable: `NO_SUCH_KEY`.",
    null,
  ]);
});

/** A recipe cannot open its sandbox in Codex's own. */
const FLAGS = { claude: [], codex: ["--", ...UNATTENDED.codex], copilot: [], native: [] } as const;

const CALLS = [
  "signalbox recipe run greet -c who='$(touch ran.txt) world' --json",
  "signalbox recipe run greet -c who=me --outside leave",
  "signalbox recipe run ./planted.yaml",
  "signalbox recipe run planted",
];

test.skipIf(!isOnPath("bwrap")).each(CONTAINED)(
  "%s may start a recipe by name, whose steps stay as limited as its own commands",
  async (name) => {
    await using agent = await containedAgent(name, { turns: [...CALLS.map((shell) => ({ shell })), { text: "done" }] });
    const { cwd, env, home } = agent;
    writeFiles(home, { ".signalbox/recipes/greet.yaml": RECIPE });
    const planted = RECIPE.replace("name: greet", "name: planted");
    writeFiles(cwd, { "planted.yaml": planted, ".signalbox/recipes/planted.yaml": planted });
    const { code, stderr } = await signalbox([name, "-p", "work", ...FLAGS[name]], { cwd, env });
    const told = JSON.stringify(agent.model.requests.at(-1)?.body);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("contained: no")]);
    expect(readFileSync(join(cwd, "said.txt"), "utf8")).toBe("hello $(touch ran.txt) world\n");
    expect(["ran.txt", "left.txt", "../outside"].filter((path) => existsSync(join(cwd, path)))).toEqual([]);
    expect(existsSync(join(home, "outside"))).toBe(false);
    expect(told).toContain("--outside 'leave'");
    expect(told).toContain("is not trusted");
  },
);
