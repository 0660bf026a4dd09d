import { expect, test } from "vitest";
import { hasEntry, insertEntry, removeEntry, takePieces } from "./json-edit.ts";

const OURS = { at: ["hooks", "PreToolUse"], value: { matcher: "*", hooks: [{ type: "command", command: "ours" }] } };
const SERVER = { at: ["mcpServers"], key: "ours", value: { command: "x", args: [] } };

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["an empty object", "{}"],
  ["an empty object over two lines", "{\n}\n"],
  ["an object with a comment alone", "{\n  // nothing yet\n}\n"],
  ["one line", '{"a": 1}\n'],
  ["one line with a trailing comma", '{"a": 1,}\n'],
  ["a comment after the last value", '{\n  "a": 1 // why\n}\n'],
  ["a trailing comma and a comment", '{\n  "a": 1, // why\n}\n'],
  ["tabs", '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'],
  ["carriage returns", '{\r\n  "a": 1\r\n}\r\n'],
  ["a byte order mark", '\uFEFF{\n  "a": 1\n}\n'],
  ["no line feed at the end", '{\n  "a": 1\n}'],
  ["hooks of the user", '{\n  "hooks": {\n    "Stop": [] /* none */\n  },\n  "z": true\n}\n'],
  [
    "a group of the user at the same event",
    '{\n  "hooks": {\n    // mine\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [] } // stays\n    ]\n  }\n}\n',
  ],
  ["an empty list at the event", '{ "hooks": { "PreToolUse": [] } }\n'],
  ["strings that look like comments", '{\n  "a": "// , }",\n  "b": "/*"\n}\n'],
];

test.each(TEXTS)("an entry goes into %s and comes out again byte for byte", (_, text) => {
  for (const entry of [OURS, SERVER]) {
    const inserted = insertEntry(text, entry);
    expect(inserted && hasEntry(inserted.text, entry)).toBe(true);
    expect(insertEntry(inserted?.text ?? "", entry), "the second time adds nothing").toBe(undefined);
    expect(takePieces(inserted?.text ?? "", inserted?.pieces ?? [])).toBe(text);
  }
});

test.each(TEXTS)("an entry comes out of %s also when only its value is known", (_, text) => {
  const blanks = (value: string | undefined) => value?.replaceAll(/[\s,]/g, "");
  for (const entry of [OURS, SERVER]) {
    const inserted = insertEntry(text, entry);
    expect(blanks(removeEntry(inserted?.text ?? "", entry, inserted?.made ?? 0))).toBe(blanks(text));
  }
});

test("what the user added around an entry stays when it is taken out", () => {
  const edited = `{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Write" }, // his
      ${JSON.stringify(OURS.value)}, // beside ours
      { "matcher": "Edit" }
    ],
    "Stop": []
  }
}
`;
  expect(removeEntry(edited, OURS, 0)).toBe(`{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Write" }, // his
       // beside ours
      { "matcher": "Edit" }
    ],
    "Stop": []
  }
}
`);
});

test("an entry that the user changed is not found", () => {
  expect(removeEntry('{"hooks": {"PreToolUse": [{"matcher": "Bash"}]}}', OURS, 0)).toBe(undefined);
});

test.each([
  ['{"hooks": ', "it is not valid JSON (line 1: ValueExpected)"],
  ["[]", "it is not a JSON object"],
  ["", "it is not valid JSON (line 1: ValueExpected)"],
  ['{"hooks": []}', "its hooks is not an object"],
  ['{"hooks": {"PreToolUse": {}}}', "its hooks.PreToolUse is not an array"],
  ['{"hooks": {}, "hooks": {}}', 'it has the key "hooks" twice'],
])("a text that cannot take an entry is refused: %s", (text, because) => {
  expect(() => insertEntry(text, OURS)).toThrow(because);
});

test("a property of the user by the same name is refused", () => {
  expect(() => insertEntry('{"mcpServers": {"ours": {"command": "his"}}}', SERVER)).toThrow(
    "its mcpServers.ours is not ours",
  );
});
