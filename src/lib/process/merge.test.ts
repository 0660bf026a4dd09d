import { expect, test } from "vitest";
import { merge, type Task } from "./tasks.ts";

const tick = () => new Promise((resolve) => setImmediate(resolve));

test("events come in the order in which they are reported, and no more tasks run than the limit", async () => {
  let running = 0;
  let most = 0;
  const task =
    (name: string, steps: number): Task<string> =>
    async (emit) => {
      most = Math.max(most, ++running);
      for (let step = 1; step <= steps; step++) {
        await tick();
        emit(`${name}${step}`);
      }
      running--;
    };
  const events = await Array.fromAsync(merge([task("a", 2), task("b", 1), task("c", 1)], 2));
  expect(events.toSorted()).toEqual(["a1", "a2", "b1", "c1"]);
  expect(events.indexOf("a1")).toBeLessThan(events.indexOf("a2"));
  expect([most, events.at(-1)]).toEqual([2, "c1"]);
});

test("nothing to do is done at once", async () => {
  expect(await Array.fromAsync(merge([], 3))).toEqual([]);
});

test("a task that fails ends the whole, after those that run have settled and before others begin", async () => {
  const log: string[] = [];
  const tasks: Task<string>[] = [
    async () => {
      throw new Error("broke");
    },
    async (emit) => {
      await tick();
      emit("late");
      log.push("settled");
    },
    async () => void log.push("begun"),
  ];
  const seen: string[] = [];
  await expect(
    (async () => {
      for await (const event of merge(tasks, 2)) seen.push(event);
    })(),
  ).rejects.toThrow("broke");
  expect([seen, log]).toEqual([["late"], ["settled"]]);
});
