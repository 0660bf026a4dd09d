import { expect, test } from "vitest";
import { asyncQueue } from "./tasks.ts";

test("what is pushed is read in order, before and after the reader waits", async () => {
  const queue = asyncQueue<number>();
  queue.push(1);
  setTimeout(() => [2, 3].forEach((value) => queue.push(value)), 5);
  setTimeout(() => queue.end(), 10);
  expect(await Array.fromAsync(queue)).toEqual([1, 2, 3]);
});

test("an error comes after the last value, and nothing is taken after the end", async () => {
  const queue = asyncQueue<number>();
  queue.push(1);
  queue.end(new Error("gone"));
  queue.push(2);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const value of queue) seen.push(value);
  })();
  await expect(reading).rejects.toThrow("gone");
  expect(seen).toEqual([1]);
});
