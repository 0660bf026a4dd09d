import { expect, test } from "vitest";
import { readMarkdown } from "./read-markdown.ts";

test.each([
  ["settings", "---\nname: x\ndescription: Reviews code\n---\n\nBody.\n", "Reviews code", "Body."],
  ["carriage returns", "---\r\ndescription: Reviews\r\n---\r\nBody.\r\n", "Reviews", "Body."],
  ["no settings", "# Fix a bug\n\nBody.\n", "Fix a bug", "# Fix a bug\n\nBody."],
  ["settings without a description", "---\nname: x\n---\nDo it.\n", "Do it.", "Do it."],
  ["nothing", "", "name", ""],
])("a file with %s has a description and a body", (_, text, description, body) => {
  expect(readMarkdown("name", text)).toEqual({ name: "name", text, description, body });
});

test.each(["---\n: [\n---\nx", "---\n- a list\n---\nx", "---\na: &a [1]\nb: *a\n---\nx"])(
  "settings that are no plain YAML object are a problem",
  (text) => {
    expect(readMarkdown("name", text).problem).toBe("its front matter is not valid YAML");
  },
);
