import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { watchReader } from "./reader-gone.ts";

const failure = (code: string) => Object.assign(new Error(`write ${code}`), { code });

function watched() {
  const output = new EventEmitter();
  const stops: string[] = [];
  const unread = watchReader(output, (because) => stops.push(because));
  return { fail: (code: string) => output.emit("error", failure(code)), stops, unread };
}

test("work between two calls is stopped at once, and once", () => {
  const { fail, stops } = watched();
  fail("EPIPE");
  fail("EPIPE");
  expect(stops).toEqual(["the reader of the output went away"]);
});

test("a call that runs is finished first, and so are all that run beside it", () => {
  const { fail, stops, unread } = watched();
  unread.begun("a");
  unread.begun("b");
  fail("EPIPE");
  unread.ended("a");
  expect(stops).toEqual([]);
  unread.ended("b");
  expect(stops.length).toBe(1);
});

test("calls of which nobody tells the end do not keep the work going", () => {
  const { fail, stops, unread } = watched();
  unread.begun("a");
  fail("ENOSPC");
  unread.allEnded();
  expect(stops).toEqual(["cannot write the output (ENOSPC)"]);
});
