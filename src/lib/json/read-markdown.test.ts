import { expect, test } from "vitest";
import { readMarkdown } from "./read-markdown.ts";

test.each([
  [
    "settings",
    "---\nname: x\ndescription: Reviews code\n---\n\nBody.\n",
    "Reviews code",
    "Body.",
    ["name", "description"],
  ],
  ["carriage returns", "---\r\ndescription: Reviews\r\n---\r\nBody.\r\n", "Reviews", "Body.", ["description"]],
  ["a byte order mark", "\uFEFF---\ndescription: Reviews\n---\nBody.\n", "Reviews", "Body.", ["description"]],
  ["colons without quotes", "---\ndescription: Use when: a, [b]\n---\nx", "Use when: a, [b]", "x", ["description"]],
  ["no settings", "# Fix a bug\n\nBody.\n", "Fix a bug", "# Fix a bug\n\nBody.", []],
  ["empty settings", "---\n---\nDo it.\n", "Do it.", "Do it.", []],
  ["settings without a description", "---\nname: x\n---\nDo it.\n", "Do it.", "Do it.", ["name"]],
  ["nothing", "", "name", "", []],
])("a file with %s has a description and a body", (_, text, description, body, keys) => {
  const { fields, ...file } = readMarkdown("name", text, "sub");
  expect([Object.keys(fields), file]).toEqual([keys, { name: "name", folder: "sub", text, description, body }]);
});

test.each(["---\n: [\n---\nx", "---\n- a list\n---\nx", "---\na: &a [1]\nb: *a\n---\nx"])(
  "settings that are no plain YAML object are a problem",
  (text) => {
    expect(readMarkdown("name", text).problem).toBe("its front matter is not valid YAML");
  },
);
