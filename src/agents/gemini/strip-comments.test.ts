import { expect, test } from "vitest";
import { stripComments } from "./settings.ts";

test.each([
  ['{"a": 1} // end', { a: 1 }],
  ['{/* first */"a": 1,\n// "a": 2,\n"b": 2}', { a: 1, b: 2 }],
  [
    '{"url": "https://host//x", "text": "/* kept */ \\" // kept"}',
    { url: "https://host//x", text: '/* kept */ " // kept' },
  ],
  ['{"a": 1} /* never closed', { a: 1 }],
])("%s", (text, value) => {
  expect(JSON.parse(stripComments(text))).toEqual(value);
});

test("every line keeps its number", () => {
  expect(stripComments('{\n/* two\nlines */ "a": 1\n}').split("\n").length).toBe(4);
});

test("a slash outside a comment stays, so that broken JSON stays broken", () => {
  expect(stripComments("{/}")).toBe("{/}");
});
