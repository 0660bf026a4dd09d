import { expect, test } from "vitest";
import type { Message } from "../../contract/message.ts";
import { endOfTalk } from "./line-mode.ts";

const asks = (text: string, source: "person" | "gate" = "person"): Message => ({ role: "user", text, source });
const says = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }], stop: "end" });

test("a resumed conversation begins with how it ended, a new one with nothing", () => {
  expect(endOfTalk([])).toBe("");
  expect(endOfTalk([asks("fix it"), says("Tried."), asks("not yet", "gate"), says("Fixed.\n")])).toBe(
    "\n> fix it\nFixed.\n",
  );
  expect(endOfTalk([asks("fix it")])).toBe("\n> fix it\n");
});

test("a long answer is shown by its end, and nothing in it reaches the terminal as a command", () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const shown = endOfTalk([asks(`${"long ".repeat(200)}`), says([...lines, "\u001b[2J"].join("\n"))]);
  expect(shown).toContain("…\nline 29\n");
  expect(shown).not.toContain("line 28");
  expect(shown).not.toContain("\u001b");
  expect(shown.split("\n")[1]?.length).toBeLessThan(210);
});
