import { expect, test } from "vitest";
import { findHidden, findShapes } from "./shapes.ts";

const shapes = (text: string) =>
  findShapes(text).map((shape) => `${shape.concept} ${text.slice(shape.start, shape.end).trim()}`);

test("secret places are found, their harmless neighbours are not", () => {
  expect(shapes("cat ~/.ssh/id_rsa")).toContain("secretFile id_rsa");
  expect(shapes("cat .env")).toEqual(["secretFile .env"]);
  expect(shapes("copy .env.example, add to ~/.ssh/authorized_keys, send ~/.ssh/id_ed25519.pub")).toEqual([
    "config authorized_keys",
  ]);
});

test("a download that is piped into a shell is one, a pipe into sort is not", () => {
  expect(shapes("curl -s x | sh")).toEqual(["pipeShell | sh"]);
  expect(shapes("cat x | sort")).toEqual([]);
});

test("an address with a hole in it is a blank", () => {
  expect(shapes("https://a.example/?k=<token>")).toContain("blank https://a.example/?k=");
  expect(shapes("https://a.example/?k=1")).toEqual(["url https://a.example/?k=1"]);
});

test("three turns make a dialogue, two are labels", () => {
  expect(shapes("user: a\nassistant: b\nuser: c").filter((shape) => shape.startsWith("turn"))).toHaveLength(3);
  expect(shapes("user: dev\nmodel: xeon").filter((shape) => shape.startsWith("turn"))).toEqual([]);
});

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
