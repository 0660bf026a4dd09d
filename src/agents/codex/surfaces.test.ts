import { expect, test } from "vitest";
import { tomlLine, tomlStrings, tomlText } from "./surfaces.ts";

test("values are escaped so that nothing ends them early", () => {
  expect(tomlLine("name", 'a "b" \\ \n\u0001\u007f')).toBe('name = "a \\"b\\" \\\\ \\n\\u0001\\u007f"');
  expect(tomlLine("a key", "\ud800")).toBe('"a key" = "\ufffd"');
  expect(tomlStrings(["a", 'b"'])).toBe('["a", "b\\""]');
});

test("a long text stays readable", () => {
  expect(tomlText("t", 'say """this"""\tand \\ that\n\u0000"')).toBe(
    't = """\nsay ""\\"this""\\"\tand \\\\ that\n\\u0000\\""""',
  );
});
