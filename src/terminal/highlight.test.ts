import { expect, test } from "vitest";
import { highlighter } from "./highlight.ts";
import { styleFor } from "./style.ts";

const marked = {
  ...styleFor({}),
  dim: (text: string) => `<c>${text}</c>`,
  green: (text: string) => `<s>${text}</s>`,
  yellow: (text: string) => `<n>${text}</n>`,
  magenta: (text: string) => `<w>${text}</w>`,
};

test("words, strings, numbers and comments are told apart", () => {
  const paint = highlighter("ts", marked);
  expect(paint('const url = "http://x"; // 12')).toBe('<w>const</w> url = <s>"http://x"</s>; <c>// 12</c>');
  expect(paint("return f(3.5)")).toBe("<w>return</w> f(<n>3.5</n>)");
});

test("a comment may span lines", () => {
  const paint = highlighter("js", marked);
  expect(["a /* b", "const c", "d */ let e"].map(paint)).toEqual([
    "a <c>/* b</c>",
    "<c>const c</c>",
    "<c>d */</c> <w>let</w> e",
  ]);
});

test("an unknown language and a very long line stay as they are; a diff has its own colours", () => {
  expect(highlighter("", marked)("const x")).toBe("const x");
  expect(highlighter("js", marked)("1 ".repeat(2_000))).toBe("1 ".repeat(2_000));
  expect(highlighter("diff", marked)("+new")).toBe("<s>+new</s>");
});
