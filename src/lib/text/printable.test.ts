import { expect, test } from "vitest";
import { printable, printableLine } from "./printable.ts";

test("letters, tabs and line feeds of any language stay", () => {
  expect(printable("a\tb\nцé漢😀")).toBe("a\tb\nцé漢😀");
});

test("what a terminal would obey or hide becomes visible", () => {
  expect(printable("\u001b[31m\r\u0007\u009b\u202e\u200b\ufeff\ud800\u{e0041}")).toBe(
    "\\u{1b}[31m\\u{d}\\u{7}\\u{9b}\\u{202e}\\u{200b}\\u{feff}\\u{d800}\\u{e0041}",
  );
});

test("a name that somebody else chose stays on its line", () => {
  expect(printableLine("a\nsignalbox: b\r")).toBe("a\\nsignalbox: b\\u{d}");
});
