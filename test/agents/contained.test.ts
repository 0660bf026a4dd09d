import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { containedWork, DONE, writeFiles } from "../support/contained-work.ts";
import { isOnPath } from "../support/is-on-path.ts";
import { SIGNALBOX, signalbox } from "../support/run-signalbox.ts";
import { CONTAINED, containedAgent, type ContainedName } from "./contained-agent.ts";

const hasParts = ["bwrap", "npm", "curl"].every(isOnPath);

/** What the model was told, in any wire's form. */
const told = (requests: readonly { readonly body: unknown }[]) => JSON.stringify(requests.at(-1)?.body);

/** Rules of the agent's own, as its user would write them. Native has none but the policy. */
const OWN_RULES: Record<ContainedName, { readonly files: Record<string, string>; readonly flags: readonly string[] }> =
  {
    claude: {
      files: {
        ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Bash(mkdir:*)"], ask: ["Bash(ln:*)"] } }),
      },
      flags: [],
    },
    codex: {
      files: {
        ".codex/rules/own.rules":
          'prefix_rule(pattern=["mkdir"], decision="forbidden")\nprefix_rule(pattern=["ln"], decision="prompt")\n',
      },
      flags: [],
    },
    // It has no rules that ask.
    copilot: { files: {}, flags: ["--deny-tool=shell(mkdir)", "--deny-tool=shell(ln)"] },
    native: { files: {}, flags: [] },
  };

test.skipIf(!hasParts).each(CONTAINED)(
  "without a person and with a plain launch's flags, %s works in its sandbox, and nothing gets out",
  async (name) => {
    const work = await containedWork();
    const ruled = { shell: ["mkdir denied", "true; mkdir also", "ln -s page asked"] };
    await using agent = await containedAgent(name, { turns: [...work.turns, ruled, { text: "all done" }] });
    const { cwd, env, home } = agent;
    work.prepare(cwd, home);
    const { files, flags } = OWN_RULES[name];
    writeFiles(home, files);
    const own = flags.length === 0 ? [] : ["--", ...flags];
    const { code, stderr } = await signalbox([name, "-p", "work", ...own], { cwd, env });
    expect([work.result(cwd, home), code, stderr]).toEqual([DONE, 0, expect.not.stringContaining("contained: no")]);
    expect(told(agent.model.requests)).toContain(`blocked by the sandbox: host:${work.other.port}`);
    const made = ["denied", "also", "asked"].filter((path) => existsSync(join(cwd, path)));
    expect(made).toEqual(name === "native" ? ["denied", "also", "asked"] : []);
  },
);

test.skipIf(!hasParts).each(CONTAINED)(
  "a run of %s is contained, and its receipt says what it reached",
  async (name) => {
    const work = await containedWork();
    const outside = { shell: "signalbox outside -- touch made-outside" };
    await using agent = await containedAgent(name, { turns: [...work.turns, outside, { text: "all done" }] });
    const { cwd, home } = agent;
    const env = { ...agent.env, PATH: [dirname(SIGNALBOX), agent.env["PATH"]].join(delimiter) };
    work.prepare(cwd, home);
    const { code } = await signalbox(["run", name, "work", "--accept", "test -s tested"], { cwd, env });
    expect([work.result(cwd, home), code]).toEqual([DONE, 0]);
    expect(existsSync(join(cwd, "made-outside"))).toBe(false);
    const receipt = await signalbox(["receipt", "show", "last"], { cwd, env });
    expect(receipt.stdout).toMatch(/^guarded +yes: 6 allowed, 0 asked, 1 denied$/m);
    expect(receipt.stdout).toMatch(
      /^contained +yes: disk, secrets, network, processes \(bubblewrap, proven \S+\); nothing ran outside$/m,
    );
    const { port } = work.registry;
    expect(receipt.stdout).toMatch(
      new RegExp(
        `^network +host:${port} \\([1-9]\\d+ bytes sent, [1-9]\\d+ received\\); refused: host:${work.other.port}$`,
        "m",
      ),
    );
  },
);
