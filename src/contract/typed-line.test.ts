import { expect, test } from "vitest";
import { readTyped } from "./typed-line.ts";

test.each([
  ["", { kind: "nothing" }],
  ["exit ", { kind: "leave" }],
  [" exit", { kind: "task", text: " exit" }],
  ["/undo 2 ", { kind: "command", text: "/undo 2" }],
  ["/etc/hosts is wrong", { kind: "task", text: "/etc/hosts is wrong" }],
  ["//undo", { kind: "task", text: "/undo" }],
  ["! ls -l", { kind: "shell", text: "ls -l" }],
  ["!", { kind: "task", text: "!" }],
  [" !important", { kind: "task", text: " !important" }],
])("%j is read as %j", (text, expected) => {
  expect(readTyped(text)).toEqual(expected);
});
