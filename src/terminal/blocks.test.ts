import { expect, test } from "vitest";
import type { ToolDeed } from "../contract/engine-event.ts";
import { type CallBlock, doneBlock, isFolded, runningBlock } from "./blocks.ts";
import { styleFor } from "./style.ts";

const style = styleFor({ NO_COLOR: "1" });
// oxlint-disable-next-line no-control-regex -- colours
const plain = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/\u001b\[\d*m/g, ""));
const view = { width: 60, style, now: 3_500 };

const bash = (command: string): CallBlock => ({
  call: { id: "1", name: "bash", input: { command } },
  line: `bash ${command}`,
  recent: "",
  started: 0,
});

function ended(
  block: CallBlock,
  text: string,
  more: { failed?: boolean; deeds?: readonly ToolDeed[]; told?: string } = {},
) {
  const { failed = false, deeds = [], told } = more;
  const result = { callId: "1", name: block.call.name, text, failed };
  return { ...block, end: { event: { type: "tool-end", result, ran: true, deeds } as const, ms: 2_340, told } };
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

test("while a command runs, its last lines and its time are shown", () => {
  expect(plain(runningBlock({ ...bash("npm test"), recent: lines(9) }, view))).toEqual([
    "• $ npm test 3 s",
    "  │ line 5",
    "  │ line 6",
    "  │ line 7",
    "  │ line 8",
    "  │ line 9",
  ]);
});

test("a command that has ended shows its exit code, its time and the end of its output", () => {
  const deeds = [{ kind: "command", command: "x", exitCode: 1 }] as const;
  const block = ended(bash("npm test"), `${lines(14)}\n[exit code 1]`, { failed: true, deeds });
  const shown = plain(doneBlock(block, view));
  expect(shown.slice(0, 3)).toEqual([
    "✗ $ npm test exit 1 · 2.3 s",
    "  │ … 4 more lines (ctrl-o shows them)",
    "  │ line 5",
  ]);
  expect(shown.at(-1)).toBe("  │ line 14");
  expect(isFolded(block)).toBe(true);
  expect(doneBlock(block, { ...view, isWhole: true })).toHaveLength(15);
  expect(plain(doneBlock(ended(bash("ls"), "a\nb"), view))).toEqual(["• $ ls 2.3 s", "  │ a", "  │ b"]);
});

test("a long command keeps its exit code in sight; of many lines the first are shown", () => {
  const deeds = [{ kind: "command", command: "x", exitCode: 2 }] as const;
  const [head = ""] = plain(doneBlock(ended(bash("word ".repeat(11)), "", { failed: true, deeds }), view));
  expect(head).toMatch(/… exit 2 · 2\.3 s$/);
  expect(head.length).toBeLessThanOrEqual(60);
  expect(plain(doneBlock(ended(bash(lines(9)), ""), view))).toHaveLength(4);
});

test("an edit shows its diff, another tool only its call, a denial its reason", () => {
  const call = { id: "1", name: "edit", input: { path: "a.js" } };
  const edit = { ...bash(""), call, line: "edit a.js" };
  const deeds = [{ kind: "write", path: "/w/a.js", before: "one\ntwo\n", after: "one\n2\u001b[2J\n" }] as const;
  expect(plain(doneBlock(ended(edit, "ok", { deeds }), view))).toEqual([
    "• edit a.js 2.3 s",
    "  +1 -1",
    "  @@ -1,2 +1,2 @@",
    "   one",
    "  -two",
    String.raw`  +2\u{1b}[2J`,
  ]);
  const read = { ...edit, call: { ...call, name: "read" }, line: "read a.js" };
  expect(plain(doneBlock(ended(read, lines(50)), view))).toEqual(["• read a.js 2.3 s"]);
  const told = "  denied: Blocked `a`: no (rule r).";
  expect(plain(doneBlock(ended(edit, "not allowed: …", { failed: true, told }), view))).toEqual([
    "✗ edit a.js 2.3 s",
    "  denied: Blocked `a`: no (rule r).",
  ]);
});

test("output cannot steer the terminal, and a line of a megabyte takes one row", () => {
  const block = ended(bash("x"), `a\u001b[2J\u202eb\n${"y".repeat(1_000_000)}`);
  const shown = plain(doneBlock(block, view));
  expect(shown[1]).toBe(String.raw`  │ a\u{1b}[2J\u{202e}b`);
  expect(shown[2]?.length).toBeLessThanOrEqual(60);
});
