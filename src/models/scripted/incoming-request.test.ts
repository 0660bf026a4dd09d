import { expect, test } from "vitest";
import { type IncomingRequest, inputText, opening, type ConversationEntry, turnsPlayed, userTexts } from "./wire.ts";

const user = (text: string): ConversationEntry => ({ from: "user", text });
const assistant = (text = ""): ConversationEntry => ({ from: "assistant", text });
const tool = (text: string): ConversationEntry => ({ from: "tool", text });

const entries = [user("hi"), user(""), assistant("I look"), assistant(), tool("a.txt"), assistant(), user("go on")];
const request: IncomingRequest = {
  model: "m",
  stream: false,
  usageInStream: true,
  system: "be kind",
  entries,
  tools: [],
};

test.each<[string, ConversationEntry[], number]>([
  ["an empty conversation", [], 0],
  ["a first question", [user("hi")], 0],
  ["an answer and a result", [user("hi"), assistant(), tool("x")], 1],
  [
    "one answer of text and two calls",
    [user("hi"), assistant("I look"), assistant(), assistant(), tool("x"), tool("y")],
    1,
  ],
  ["two answers", [user("hi"), assistant(), tool("x"), assistant("done"), user("more")], 2],
  ["an answer that nothing follows", [user("hi"), assistant(), tool("x"), assistant("cut off")], 1],
  ["history that starts with an answer", [assistant("hello"), user("hi")], 1],
])("%s", (_, history, turns) => {
  expect(turnsPlayed(history)).toBe(turns);
});

test("the user's texts are kept in order, without results and empty parts", () => {
  expect(userTexts(entries)).toEqual(["hi", "go on"]);
});

test("the opening is the system prompt and what the user said before the first answer", () => {
  expect(opening(request)).toBe("be kind\nhi");
  expect(opening({ ...request, entries: [user("one"), user("two")] })).toBe("be kind\none\ntwo");
});

test("what the model is told leaves out its own words", () => {
  expect(inputText(request)).toBe("be kind\nhi\n\na.txt\ngo on");
});
