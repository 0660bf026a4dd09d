import { expect, test } from "vitest";
import { deduplicateEvents } from "./answer.ts";

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
