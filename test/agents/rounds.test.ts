import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { AgentEvent } from "../../src/contract/agent-event.ts";
import { Receipt } from "../../src/contract/receipt.ts";
import { type Outcome, signalbox } from "../support/run-signalbox.ts";
import { expectOneDenial } from "./one-denial.ts";
import { isInstalled, realAgent } from "./real-agent.ts";

const OUTSIDE = "touch /etc/signalbox-was-here";
const usage = { input: 100, output: 10 };

/** It lies first. Told of the check, it tries something that is denied, and then does the work. */
const LIAR = {
  turns: [
    { text: "All done.", usage },
    { shell: OUTSIDE, usage },
    { shell: "echo made by the agent > made.txt", usage },
    { text: "Now it is done.", usage },
  ],
};

const TASK = "write made.txt for the PELICAN";
const CHECK = "echo the LIGHTHOUSE is dark; test -e made.txt";

const events = ({ stdout }: Outcome) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => AgentEvent.parse(JSON.parse(line)));

const WAYS = {
  claude: { agent: "claude", words: ["claude"] },
  codex: { agent: "codex", words: ["codex"] },
  copilot: { agent: "copilot", words: ["copilot"] },
  gemini: { agent: "gemini", words: ["gemini", "--model", "gemini-2.5-flash"] },
} as const;

test.each(Object.values(WAYS).filter(({ agent }) => isInstalled(agent)))(
  "$agent is told of a failed check in its own session, under the same rules, and its second try is accepted",
  async ({ agent: name, words }) => {
    await using agent = await realAgent(name, LIAR);
    const options = { cwd: agent.cwd, env: agent.env };
    const outcome = await signalbox(
      ["run", ...words, "--task", TASK, "--accept", CHECK, "--rounds", "3", "--json"],
      options,
    );
    const trace = events(outcome);
    expect([outcome.code, outcome.stderr, existsSync("/etc/signalbox-was-here")]).toEqual([0, "", false]);
    expect(
      trace.filter((event) => event.type === "warning" && /resume|not accepted/.test(event.message)),
    ).toMatchObject([
      {
        message: `round 1 of 3 not accepted: '${CHECK}' exited 1\nthe LIGHTHOUSE is dark`,
        ext: { round: 1, rounds: 3 },
      },
    ]);
    const second = trace.filter(({ ext }) => ext?.["round"] === 2);
    const isAbout = (command: string) => (event: AgentEvent) => JSON.stringify(event).includes(command);
    const made = second.findIndex((event) => event.type === "tool_call" && isAbout("echo made by the agent")(event));
    expectOneDenial(second.slice(0, made), OUTSIDE);
    expect(trace.at(-1)?.ext).toMatchObject({ because: "done and accepted after 2 rounds", calls_not_held: [] });
    // The model plays its script by the answers in the history, so a new session would have lied again.
    const last = JSON.stringify(agent.model.requests.at(-1)?.body);
    expect([last.includes("PELICAN"), last.includes("LIGHTHOUSE"), last.includes("All done.")]).toEqual([
      true,
      true,
      true,
    ]);
    const shown = await signalbox(["receipt", "show", "last", "--json"], options);
    const { usage: used } = Receipt.parse(JSON.parse(shown.stdout));
    expect([used.input_tokens, used.output_tokens]).toEqual([400, 40]);
  },
);
