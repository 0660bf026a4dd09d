import { expect, test } from "vitest";
import type { ToolOutput } from "../../contract/tool.ts";
import { type EngineHooks, hooksProcessor } from "./hooks.ts";

const CALL = { id: "c1", name: "look", input: { n: 1 } };
const after = (hooks: EngineHooks, output: ToolOutput) => hooksProcessor(hooks).postTool?.(CALL, output);
const before = (hooks: EngineHooks) => hooksProcessor(hooks).preTools?.([CALL], new AbortController().signal);

test("a changed result has the hook's text and no images, and still says what the call did", async () => {
  const deeds = [{ kind: "read", path: "/a" }] as const;
  const images = [{ mediaType: "image/png", base64: "" }];
  const modifiedResult = { text: "withheld", failed: true, deeds: [] };
  const output = { text: "secret", failed: false, images, deeds, ends: { summary: "done" } };
  expect(await after({ postToolUse: [async () => ({ modifiedResult })] }, output)).toEqual({
    text: "withheld",
    failed: true,
    deeds,
    ends: { summary: "done" },
  });
});

test("only a failed call is reported, in a message of bounded length", async () => {
  const errors: { readonly error: { readonly message: string } }[] = [];
  const hooks: EngineHooks = { errorOccurred: [async (event) => void errors.push(event)] };
  await after(hooks, { text: "fine", failed: false });
  await after(hooks, { text: "x".repeat(100_000), failed: true });
  expect(errors.map(({ error }) => error.message.length)).toEqual([4000]);
});

test("hooks that change a call in turn are told as one change, and one that changes nothing as none", async () => {
  const add = (name: string) => async (event: { readonly toolArgs: unknown }) => ({
    modifiedArgs: { ...Object(event.toolArgs), [name]: 1 },
    additionalContext: name,
  });
  expect(await before({ preToolUse: [add("a"), add("b")] })).toEqual([
    { kind: "note", callId: "c1", text: '[a hook changed the arguments of this call to: {"n":1,"a":1,"b":1}]' },
    { kind: "change", callId: "c1", input: { n: 1, a: 1, b: 1 } },
    { kind: "note", callId: "c1", text: "a" },
    { kind: "note", callId: "c1", text: "b" },
  ]);
  expect(await before({ preToolUse: [async () => ({ modifiedArgs: { n: 1 } })] })).toEqual([]);
});
