import { expect, test } from "vitest";
import { isOnPath } from "../support/is-on-path.ts";
import { type Outcome, signalbox } from "../support/run-signalbox.ts";
import { BY_SCRIPT, FIX } from "../support/workers/worker.ts";
import { writeWorkspace } from "../support/workers/write-workspace.ts";
import { LONG, ON_TERMINAL, startOnTerminal } from "./terminal-agent.ts";
import { isInstalled, OFFLINE, type PROVABLE, realAgent } from "./real-agent.ts";

type Agent = (typeof PROVABLE)[number];

const AGENTS = (["claude", "codex", "copilot"] as const).filter(isInstalled);

const WORKSPACE = { ...BY_SCRIPT, does: "", shell: [], code: 0 } as const;

/** A headless launch with a check, in which the model plays the turns. */
async function launch(name: Agent, turns: readonly object[], flags: readonly string[] = []) {
  await using agent = await realAgent(name, { turns: [...turns], after: { text: "It really is done." } });
  writeWorkspace(agent.cwd, WORKSPACE);
  const options = { cwd: agent.cwd, env: agent.env };
  const args = [name, "-p", "make it work", "--accept", "sh check.sh", ...flags, "--", ...OFFLINE[name].unattended];
  const outcome = await signalbox(args, options);
  const shown = await signalbox(["receipt", "show", "last"], options);
  const verified = await signalbox(["receipt", "verify", "last"], options);
  return {
    code: outcome.code,
    lines: linesOf(outcome),
    story: shown.stdout.split("\n").filter((line) => /^(?:outcome|check|files|denied|calls) /.test(line)),
    isSealed: verified.code === 0,
    told: JSON.stringify(agent.model.requests.at(-1)?.body),
  };
}

/** What the launch says of the check, and its last line, without what differs each time. */
const linesOf = ({ stderr }: Outcome) =>
  stderr
    .split("\n")
    .flatMap((line) => /^signalbox: ((?:VERIFIED|FAILED|CHANGED|STALE|NOT|\d+ calls?,).*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/\d[\d.]* s, at [0-9a-f]{6}/, "TIME").replace(/receipt [0-9a-f]{8}.*/, "receipt"));

test.each(AGENTS)("%s, which lies, is sent back and then told that the check fails", async (name) => {
  const turns = [{ text: "All done." }, { shell: "echo 'fixed' > REPORT.md" }, { text: "Yes." }];
  const { code, lines, story, isSealed, told } = await launch(name, turns, ["--rounds", "2"]);
  expect({ code, lines, isSealed }).toEqual({
    code: 0,
    isSealed: true,
    lines: [
      "FAILED sh check.sh: exited 1 (sent back to the agent, 1 of 2)",
      "FAILED sh check.sh: exited 1 (sent back to the agent, 2 of 2)",
      "FAILED sh check.sh: exited 1 (sent back 2 times)",
      "FAILED sh check.sh: exited 1",
      "1 call, 0 denied, 1 file changed; receipt",
    ],
  });
  expect(story.join("\n")).toMatch(/not accepted: the agent said it was done, but a check failed[^]*A REPORT\.md/);
  expect(told).toContain("the acceptance check `sh check.sh` exited 1");
});

test.each(AGENTS)("%s, which works, is believed, and the check is not run again for nothing", async (name) => {
  const { code, lines, story } = await launch(name, [{ shell: FIX }, { text: "Done." }], ["--strict-exit"]);
  expect({ code, lines }).toEqual({
    code: 0,
    lines: ["VERIFIED sh check.sh (TIME)", "VERIFIED sh check.sh (TIME)", "1 call, 0 denied, 1 file changed; receipt"],
  });
  expect(story.join("\n")).toMatch(/done, and every check passed\ncheck +passed: sh check\.sh\nfiles +M calc\.sh/);
});

test.each(AGENTS)("%s, which edits the check, is named, and the exit code says so if asked", async (name) => {
  const turns = [{ shell: "echo 'exit 0' > check.sh" }, { text: "Done." }];
  const { code, lines, story, told } = await launch(name, turns, ["--rounds", "1", "--strict-exit"]);
  expect({ code, lines }).toEqual({
    code: 8,
    lines: [
      "CHANGED: the agent edited the check (check.sh) (sent back to the agent, 1 of 1)",
      "CHANGED: the agent edited the check (check.sh) (sent back once)",
      "CHANGED: the agent edited the check (check.sh)",
      "1 call, 0 denied, 1 file changed; receipt",
    ],
  });
  expect(story.join("\n")).toContain("accepted by a changed check");
  expect(told).toContain("the acceptance check was changed, and does not count");
});

test.skipIf(!isOnPath("tmux")).each(AGENTS)(
  "on a terminal, %s is sent back too, and its person is told",
  async (name) => {
    const turns = [{ text: "All done." }, { shell: FIX }];
    const prepare = (cwd: string) => writeWorkspace(cwd, WORKSPACE);
    await using agent = await startOnTerminal(name, turns, prepare, "--accept 'sh check.sh'");
    const { keys, shows, screen, resize } = agent;
    const flat = () => screen().replaceAll(/\s+/g, " ");
    await shows("all done");
    // Copilot shows nobody what a hook says of a stop.
    if (name !== "copilot") await expect.poll(flat, LONG).toContain("signalbox: VERIFIED sh check.sh");
    resize(200);
    keys(ON_TERMINAL[name].quit);
    await shows(ON_TERMINAL[name].quit);
    keys("Enter");
    await expect
      .poll(screen, LONG)
      .toMatch(/signalbox: VERIFIED sh check\.sh \(.*\)\s+signalbox: 1 call, 0 denied, 1 file changed/);
  },
);
