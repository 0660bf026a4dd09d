import { expect, test } from "vitest";
import { findHidden } from "./shapes.ts";

const hidden = (text: string) => findHidden(text).map(({ start, end }) => text.slice(start, end));

test("comments, attributes and elements hidden by style are found", () => {
  expect(hidden("a <!-- one --> b")).toEqual([" one "]);
  expect(hidden('<img alt="a cat asleep" src="x.png">')).toEqual(["a cat asleep"]);
  expect(hidden('<p style="display:none">two</p><p>seen</p>')).toEqual(["two"]);
  expect(hidden("<div hidden>three</div>")).toEqual(["three"]);
});

test("markdown that renders to nothing is hidden too", () => {
  expect(hidden("[//]: # (four)")).toEqual(["[//]: # (four)"]);
  expect(hidden('[docs](/x "five five")')).toEqual(['](/x "five five")']);
});

test("a comment without an end hides the rest", () => {
  expect(hidden("a <!-- six")).toEqual([" six"]);
});

test("aria-hidden hides from screen readers what everybody else sees", () => {
  expect(hidden('<i aria-hidden="true"></i><span aria-hidden="true">seen</span>')).toEqual([]);
  expect(hidden('<p hidden="false">seen</p>')).toEqual([]);
});

test("plain text and visible markup hide nothing", () => {
  expect(hidden("if a < b then [x] else (y)")).toEqual([]);
  expect(hidden("<p>seen</p>")).toEqual([]);
});
