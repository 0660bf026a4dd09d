import { expect, test } from "vitest";
import type { SessionPort } from "../contract/session-port.ts";
import { TypedLines } from "./typed-lines.ts";

function opened(past: readonly string[] = []) {
  const queue: string[] = [];
  const port: Pick<SessionPort, "add" | "withdraw" | "prompts"> = {
    add: (text) => String(queue.push(text) - 1),
    withdraw: (id) => queue[Number(id)] !== undefined && queue.splice(Number(id), 1, "") !== undefined,
    prompts: () => past,
  };
  const lines = new TypedLines();
  lines.port = port;
  return { lines, queue };
}

const WORKING = { isWorking: true, isQueued: false };

test("during work a task is steered at once; a command, and what is queued, wait for its end", async () => {
  const { lines, queue } = opened();
  lines.send("also this", WORKING);
  lines.send("/compact", WORKING);
  lines.send("then that", { ...WORKING, isQueued: true });
  expect(queue).toEqual(["also this"]);
  expect(lines.waiting(true)).toEqual([
    "next: also this (up edits it)",
    "after: /compact (up edits it)",
    "after: then that (up edits it)",
  ]);
  lines.taken("0");
  expect(await lines.next(() => false)).toBe("/compact");
  expect(lines.waiting(true)).toEqual(["after: then that (up edits it)"]);
});

test("what waits can be taken back, the last first; after an interruption all that was steered", () => {
  const { lines, queue } = opened();
  lines.send("one", WORKING);
  lines.send("two", WORKING);
  lines.send("/id", WORKING);
  expect([lines.takeBackOne(), lines.takeBackOne()]).toEqual(["/id", "two"]);
  expect([lines.takeBackSteered(), lines.takeBackOne(), queue]).toEqual([["one"], undefined, ["", ""]]);
});

test("whoever waits for a line gets the next one, or hears that it is over", async () => {
  const { lines } = opened();
  let isOver = false;
  const first = lines.next(() => isOver);
  lines.send("go", { isWorking: false, isQueued: false });
  expect(await first).toBe("go");
  const second = lines.next(() => isOver);
  isOver = true;
  lines.wake();
  expect(await second).toBe(undefined);
});

test("the history is what was typed now, then what was asked here before, each once", () => {
  const { lines } = opened(["older", "same"]);
  lines.send("same", WORKING);
  expect(lines.history()).toEqual(["same", "older"]);
});
