import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { type PathGate, pathGate } from "./path-gate.ts";
import { type FileStates, fileStates, read } from "./read.ts";
import { edit, write } from "./write.ts";

let workspace = "";
let states: FileStates;
let gate: PathGate;
let calls = 0;

beforeEach(() => {
  calls = 0;
  workspace = tempFolder();
  states = fileStates();
  const paths = { ...PRESETS.default.paths, readRoots: ["."], writeRoots: ["."] };
  const policy = { ...PRESETS.default, paths, version: 1, workspaceRoot: workspace, home: tempFolder() } as const;
  gate = pathGate(policy, realMachine);
});

/** Every call has its own id: c1, c2, … */
const context = () => ({
  callId: `c${++calls}`,
  signal: new AbortController().signal,
  progress: () => {},
  emit: () => {},
});
const put = (name: string, content: string | Buffer) => writeFileSync(join(workspace, name), content);
const look = async (path: string, more: Record<string, unknown> = {}) => {
  const tool = read({ gate, states });
  return (await tool.run(tool.input.parse({ path, ...more }), context())).text;
};
const replace = (path: string, old_string: string, new_string: string) =>
  edit({ gate, states }).run({ path, edits: [{ old_string, new_string, replace_all: false }] }, context());

const unchangedSince = (call: string) =>
  `[${join(workspace, "a")} has not changed since you read these lines in this session; their text is in the result of call ${call}]`;

test("the same lines of an unchanged file are sent once, and the call that has them is named", async () => {
  put("a", "one\ntwo\n");
  expect(await look("a")).toBe("1\tone\n2\ttwo");
  expect([await look("a"), await look("./a"), await look("a")]).toEqual(Array(3).fill(unchangedSince("c1")));
  expect(await look("a", { offset: 2 })).toBe("2\ttwo");
  expect(await look("a", { offset: 2 })).toBe(unchangedSince("c5"));
});

test("a file that changed is sent again, and one that was changed back is not", async () => {
  put("a", "one\n");
  await look("a");
  put("a", "two\n");
  expect([await look("a"), await look("a")]).toEqual(["1\ttwo", unchangedSince("c2")]);
  expect(await look("a", { offset: 1, limit: 1 })).toBe("1\ttwo");
  put("a", "three\n");
  await look("a", { offset: 1, limit: 1 });
  put("a", "two\n");
  expect(await look("a")).toBe(unchangedSince("c2"));
  // It was seen in this state, so it may be overwritten.
  const { failed } = await write({ gate, states }).run({ path: "a", content: "four\n" }, context());
  expect(failed).toBe(false);
});

test("what the model wrote itself counts as a change, even when the old text comes back", async () => {
  put("a", "one\n");
  await look("a");
  await replace("a", "one", "two");
  await replace("a", "two", "one");
  expect(await look("a")).toBe("1\tone");
  await write({ gate, states }).run({ path: "a", content: "one\n" }, context());
  expect(await look("a")).toBe("1\tone");
});

test("what leaves the history is sent again, and stays known for writes", async () => {
  put("a", "one\n");
  put("b", "two\n");
  await look("a");
  await look("b");
  states.forgetShown((callId) => callId === "c2");
  expect([await look("a"), await look("b")]).toEqual([unchangedSince("c1"), "1\ttwo"]);
  states.forgetShown();
  expect([await look("a"), await look("b")]).toEqual(["1\tone", "1\ttwo"]);
  states.forgetShown();
  expect((await replace("a", "one", "three")).failed).toBe(false);
});

test("an empty file, a folder, an image and a refused part are never left out", async () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  put("empty", "");
  put("image", png);
  put("a", "one\n");
  for (let time = 0; time < 2; time++) {
    expect(await look("empty")).toBe("(the file is empty)");
    expect(await look(".")).toBe("a\nempty\nimage");
    expect(await look("image")).toContain("image/png, 1 × 1 pixels");
    await expect(look("a", { offset: 5 })).rejects.toThrow("the file has 1 lines; 5 is past its end");
  }
});
