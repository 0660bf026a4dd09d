import { expect, test } from "vitest";
import { findShapes } from "./shapes.ts";

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
