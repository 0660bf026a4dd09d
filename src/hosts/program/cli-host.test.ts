import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { runOrder } from "../../../test/support/run-order.ts";
import { standInAgent } from "../../../test/support/stand-in-agent.ts";
import { namedHost } from "../named-host.ts";

const said =
  '{"type":"assistant","parent_tool_use_id":null,"message":{"id":"m","content":[{"type":"text","text":"done"}]}}';
const result = (fields: string) => `{"type":"result","subtype":"success","is_error":false,"result":"done",${fields}}`;

/** Notes its words, says that it is done, and does the work from the given start on. */
const agentThat = (fields: string, works: number, first = "") => `
[ "$1" != --version ] || exit 0
printf 'START %s\\n' "$*" >> "$RECORD/starts"
${first}
[ "$(grep -c ^START "$RECORD/starts")" -lt ${works} ] || touch made.txt
printf '%s\\n' '${said}' '${result(fields)}'`;

async function runRounds(script: string, isGuarded = false) {
  const agent = standInAgent("claude", script);
  const env = { ...agent.env, SIGNALBOX_HOME: join(agent.home, ".signalbox") };
  const { openHost } = await namedHost("claude", env, { unguarded: !isGuarded });
  const root = repositoryWith({ "a.txt": "" });
  const { end } = await runOrder({ root, openHost, accept: ["echo not there; test -e made.txt"], rounds: 3 });
  const file = join(agent.env["RECORD"] ?? "", "starts");
  const words = existsSync(file) ? readFileSync(file, "utf8") : "";
  const starts = words.split(/^START /m).filter((start) => start !== "");
  const warnings = end.receipt.trace.flatMap((event) =>
    event.type === "warning" && event.ext?.["round"] === 2 && !event.message.startsWith("round") ? [event.message] : [],
  );
  return { end, starts, warnings };
}

const AGAIN = "so it gets the task again, with what was done and the failed check";

test("an agent is started again in its own session, with what the check said and nothing else", async () => {
  const usage = '"usage":{"input_tokens":5},"total_cost_usd":0.25,"session_id":"s-1"';
  const { end, starts, warnings } = await runRounds(agentThat(usage, 2));
  expect([end.exitCode, end.facts.acceptance.length, starts.length, warnings]).toEqual([0, 2, 2, []]);
  const [first, second] = starts;
  expect([first?.includes("do it"), first?.includes("--resume")]).toEqual([true, false]);
  expect(second).toMatch(/ --resume s-1 -- This is not finished\. The work was checked and not accepted: /);
  expect([second?.includes("do it"), second?.includes("\nnot there\n")]).toEqual([false, true]);
  // Claude Code counts tokens for each start, and money for the whole session.
  expect(end.receipt.usage).toMatchObject({ input_tokens: 10, estimated_cost_usd: 0.25 });
});

test("a resumed start has the same guard as the first", async () => {
  const { starts, end } = await runRounds(agentThat('"session_id":"s-1"', 2), true);
  const flags = starts.map((start) => start.split(" -- ")[0]?.replace(" --resume s-1", ""));
  expect([end.exitCode, flags.length, flags[0]?.includes("/claude-settings.json")]).toEqual([0, 2, true]);
  expect(flags[1]).toBe(flags[0]);
});

test.each([
  ["reports no session", agentThat('"num_turns":1', 2), "it reported no session id"],
  [
    "reports a flag as its session",
    agentThat('"session_id":"--dangerously-skip-permissions"', 2),
    "it reported no session id",
  ],
  [
    "does not know its session any more",
    agentThat('"session_id":"s-1"', 3, 'case "$*" in *--resume*) echo "No conversation found" >&2; exit 1;; esac'),
    "exit code 1: No conversation found",
  ],
])("an agent that %s gets a new turn with the task and the facts, and that is said", async (_, script, why) => {
  const { end, starts, warnings } = await runRounds(script);
  expect([end.exitCode, warnings]).toEqual([0, [`Claude Code could not resume its session (${why}), ${AGAIN}`]]);
  const last = starts.at(-1) ?? "";
  expect([last.includes("-- do it\n"), last.includes("--resume"), last.includes("--dangerously")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("an agent that dies in its resumed session after it began to work is not started again", async () => {
  const dies = `case "$*" in *--resume*) printf '%s\\n' '${said}'; exit 9;; esac`;
  const { end, starts } = await runRounds(agentThat('"session_id":"s-1"', 9, dies));
  expect([end.exitCode, end.because, starts.length]).toEqual([7, "Claude Code ended without a result: exit code 9", 2]);
});
