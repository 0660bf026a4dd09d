import { expect, test } from "vitest";
import { HELD_PARTS, type Need } from "../contract/agent-call.ts";
import type { ToolBefore } from "../contract/hook-event.ts";
import { judge } from "../guard/judge/judge.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { presetPolicy } from "../guard/policy/compiled-policy.ts";
import { containCall } from "./contain-call.ts";
import type { HookContext } from "./hook-context.ts";

test("a command belongs to the conversation that asked, and is lent the host of a rule without a question", async () => {
  const command = "curl -s https://example.org";
  const daily = presetPolicy("default", { workspaceRoot: "/w", home: "/h" });
  const rule = { id: "mine", source: "user", verdict: "allow", exact: true, because: "mine" } as const;
  const policy = {
    ...daily,
    rules: [...daily.rules, { ...rule, argv: command.split(" "), hosts: ["example.org:443"] }],
  };
  const event: ToolBefore = { type: "tool-before", session: "one", tool: "Bash", input: { command }, cwd: "/w" };
  const decision = judge(event, policy, { ...realMachine, contained: HELD_PARTS });
  const seen: unknown[] = [];
  const nothing = () => undefined;
  const session: HookContext["session"] = {
    saw: nothing,
    began: nothing,
    ended: nothing,
    noteOutside: nothing,
    takeNotes: () => [],
    noteCaller: (...called) => void seen.push(called),
    lend: async (needs: readonly Need[]) => (seen.push(needs.map(({ target }) => target)), ["/s"]),
    ready: Promise.resolve(),
  };
  const settings = {
    agent: "claude",
    workspace: "/w",
    folder: "/h/.signalbox",
    interactive: true,
    sandbox: "/s",
    seal: "",
    closed: [],
    switches: [],
    deniedTools: [],
    hooks: [],
  };
  const placed = { answer: {}, decision, policy, inside: true };
  expect(await containCall(event, placed, { settings, session })).toMatchObject({
    verdict: "allow",
    input: { command: `'/s' '${command}'` },
  });
  expect(seen).toEqual([[command, { session: "one", agent: "claude" }], ["example.org:443"]]);
});
