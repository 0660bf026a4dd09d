import { expect, test } from "vitest";
import { knownSessionsOnly } from "./launch-answerer.ts";

test("a staged wrapper is answered about a session that the launch's own hooks told of, and about no other", async () => {
  const answer = knownSessionsOnly(async ({ via }) => ({ stdout: via, stderr: "", exit: 0 }));
  const ask = (via: string, text: string) => answer({ event: "tool-before", via, text });
  await expect(ask("staged", '{"session_id":"a"}')).rejects.toThrow("does not belong to this launch");
  expect((await ask("launch", '{"session_id":"a"}')).stdout).toBe("launch");
  expect((await ask("staged", '{"x":1,"session_id":"a"}')).stdout).toBe("staged");
  await expect(ask("staged", '{"session_id":"b"}')).rejects.toThrow("does not belong to this launch");
  await expect(ask("staged", "{}")).rejects.toThrow("does not belong to this launch");
  expect((await ask("launch", "not JSON")).stdout).toBe("launch");
});

test("a sub-agent of a known session is known, also to another agent's wrapper", async () => {
  const answer = knownSessionsOnly(async ({ via }) => ({ stdout: via, stderr: "", exit: 0 }));
  const ask = (via: string, text: object) => answer({ event: "tool-before", via, text: JSON.stringify(text) });
  await ask("launch", { sessionId: "a" });
  expect((await ask("staged", { sessionId: "child", parentAgentId: "a" })).stdout).toBe("staged");
  expect((await ask("staged-claude", { session_id: "other", parent_agent_id: "a" })).stdout).toBe("staged-claude");
  await expect(ask("staged", { sessionId: "x", parentAgentId: "b" })).rejects.toThrow("does not belong");
  await expect(ask("staged", { sessionId: "x", toolArgs: { parentAgentId: "a" } })).rejects.toThrow("does not belong");
});

test("an event that a staged wrapper reported too early has been answered, but a tool call never", async () => {
  const answered: string[] = [];
  const answer = knownSessionsOnly(async ({ event }) => {
    answered.push(event);
    return { stdout: "judged", stderr: "", exit: 0 };
  });
  for (const event of ["session-start", "tool-before"] as const) {
    const text = JSON.stringify({ sessionId: event, timestamp: 7, toolName: "bash", toolArgs: {} });
    await expect(answer({ event, via: "staged", text })).rejects.toThrow("does not belong");
    await answer({ event, via: "launch", text });
    await answer({ event, via: "launch", text });
  }
  expect(answered).toEqual(["session-start", "tool-before", "tool-before"]);
});
