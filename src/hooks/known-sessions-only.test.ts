import { expect, test } from "vitest";
import { knownSessionsOnly } from "./answer.ts";

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
