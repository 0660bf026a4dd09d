import { expect, test } from "vitest";
import * as z from "zod";
import { tool } from "../../../test/support/scripted-session.ts";
import { readCall } from "./run-calls.ts";

const Item = z.strictObject({ id: z.string(), note: z.string().optional() });
const todo = {
  ...tool("todo", () => ({ text: "", failed: false })),
  input: z.strictObject({ items: z.array(Item).default([]) }),
};
const tools = new Map([["todo", todo]]);

const refused = (input: Record<string, unknown>) => {
  const read = readCall({ type: "call", id: "1", name: "todo", input }, tools);
  return "because" in read ? read.because : undefined;
};

test("an unknown argument is answered with those that there are", () => {
  expect(refused({ action: "add", title: "x" })).toBe(
    'wrong arguments for todo: ✖ Unrecognized keys: "action", "title"\nthe keys are: items',
  );
  expect(refused({ items: [{ id: "a" }, { id: "b", title: "x" }] })).toBe(
    'wrong arguments for todo: ✖ Unrecognized key: "title"\n  → at items[1]\nthe keys at items[1] are: id, note',
  );
});

test("other wrong arguments need no list, and right ones no answer", () => {
  expect(refused({ items: "x" })).toBe(
    "wrong arguments for todo: ✖ Invalid input: expected array, received string\n  → at items",
  );
  expect(refused({ items: [{ id: "a" }] })).toBe(undefined);
});
