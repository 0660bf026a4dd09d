import { expect, test } from "vitest";
import { deduplicateEvents } from "./repeated-events.ts";

const request = (via: string, text = "{}") => ({ event: "tool-before" as const, via, text });

test("an event that comes by two registrations is judged once; the same again by one of them is another", async () => {
  let [judged, clock] = [0, 0];
  const answer = deduplicateEvents(
    async () => ({ stdout: String(++judged), stderr: "", exit: 0 }),
    () => clock,
  );
  const say = async (via: string, text?: string) => (await answer(request(via, text))).stdout;
  expect([await say("launch"), await say("staged"), await say("launch"), await say("staged")]).toEqual([
    "1",
    "1",
    "2",
    "2",
  ]);
  expect([await say("launch", "other"), await say("staged", "another")]).toEqual(["3", "4"]);
  clock = 60_000;
  expect(await say("staged", "other")).toBe("5");
});

/** A call as Copilot reports it to its own hooks, and to those of Claude Code. */
const call = (timestamp: number, command: string, tool = "bash") =>
  JSON.stringify({ sessionId: "s", timestamp, cwd: "/w", toolName: tool, toolArgs: { command, description: "d" } });
const foreign = (timestamp: number, command: string, tool = "Bash") =>
  JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "s",
    timestamp: new Date(timestamp).toISOString(),
    cwd: "/w",
    tool_name: tool,
    tool_input: { description: "d", command },
  });

test("a call is judged once, also where the other reports show the rewritten command or another agent's fields", async () => {
  const judged: string[] = [];
  const answer = deduplicateEvents(async ({ text }) => {
    judged.push(text);
    const { command, description } = JSON.parse(text).toolArgs;
    const modifiedArgs = { command: `'/s/sandbox' '${command}'`, description };
    return { stdout: JSON.stringify({ permissionDecision: "allow", modifiedArgs }), stderr: "", exit: 0 };
  });
  const say = async (via: string, text: string) => JSON.parse((await answer(request(via, text))).stdout);
  const first = await say("staged", call(1, "ls"));
  expect(await say("staged-claude", foreign(1, "'/s/sandbox' 'ls'"))).toEqual({});
  expect(await say("launch", call(1, "'/s/sandbox' 'ls'"))).toEqual(first);
  expect(judged).toEqual([call(1, "ls")]);
});

test.each([
  ["at another time", call(2, "ls")],
  ["another command at the same time", call(1, "rm x")],
  ["another tool at the same time", call(1, "ls", "view")],
])("a call %s is another one, and a wrapper of another agent gets no answer about it", async (_, text) => {
  let judged = 0;
  const answer = deduplicateEvents(async () => ({ stdout: `{"n":${++judged}}`, stderr: "", exit: 0 }));
  await answer(request("staged", call(1, "ls")));
  expect((await answer(request("launch", text))).stdout).toBe('{"n":2}');
  const { sessionId, timestamp, toolArgs, toolName } = JSON.parse(text);
  await expect(answer(request("staged-claude", foreign(9, "ls")))).rejects.toThrow("was not reported");
  const both = JSON.stringify({ sessionId, session_id: "s", timestamp, toolName, toolArgs });
  await expect(answer(request("staged-claude", both))).rejects.toThrow("was not reported");
});
