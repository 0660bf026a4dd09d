import { describe, expect, test } from "vitest";
import { fakeMachine } from "../machine/fake-machine.ts";
import { judge } from "./judge.ts";
import { patchPaths } from "./paths-in-text.ts";
import type { Policy } from "../../contract/policy.ts";
import { PRESETS } from "../presets/presets.ts";

const machine = fakeMachine({});
const daily: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
const verdictOf = (...lines: readonly string[]) =>
  judge(
    { tool: "apply_patch", input: { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") } },
    daily,
    machine,
  ).verdict;

const HEADERS = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
/** Every Unicode white space character except the newline. */
const BLANKS = Array.from({ length: 0x3001 }, (_, code) => String.fromCodePoint(code)).filter(
  (letter) => /\p{White_Space}/u.test(letter) && letter !== "\n",
);

describe("the headers of a patch", () => {
  test("a denied file is denied behind any white space, alone, twice and mixed", () => {
    expect(BLANKS.length).toBe(24);
    for (const header of HEADERS)
      for (const blank of BLANKS)
        for (const before of [blank, blank + blank, ` ${blank}\t`, `${blank}\ufeff`])
          expect([
            header,
            before,
            verdictOf("*** Add File: fine.txt", "+x", `${before}${header}.git/hooks/pre-commit`, "+x"),
          ]).toEqual([header, before, "deny"]);
  });
  test("a header that no rule forbids is allowed, indented or not, with either end of line", () => {
    expect(verdictOf("*** Update File: src/a.ts", "*** Move to: src/b.ts", "@@", "-a", "+b")).toBe("allow");
    expect(verdictOf("*** Update File: src/a.ts\r", "@@\r", "-a\r", "+b\r")).toBe("allow");
    expect(verdictOf("  *** Add File: src/new.ts", "+b", "\t*** Delete File: src/old.ts ")).toBe("allow");
  });
  test("the letters of a header may be of either case", () => {
    expect(patchPaths("*** ADD FILE: a\n*** move To: b")).toEqual({ paths: ["a", "b"], unread: undefined });
  });
  test("a path that only starts like the null device is a path", () => {
    for (const path of ["/dev/null/../../srv/repo/.git/config", "/dev/null/../sda", "/dev/nullx"])
      for (const header of [...HEADERS, "--- ", "+++ "]) expect(patchPaths(header + path).paths).toEqual([path]);
    expect(verdictOf("*** Add File: /dev/null/../../srv/repo/.git/config", "+x")).toBe("deny");
  });
  test("the null device itself is nothing in a unified diff, and a path in a header", () => {
    expect(patchPaths("--- /dev/null\n+++ b/src/a.ts\n")).toEqual({ paths: ["src/a.ts"], unread: undefined });
    expect(patchPaths("*** Add File: /dev/null").paths).toEqual(["/dev/null"]);
  });
  test("a path does not end at a letter that only some take for the end of a line", () => {
    for (const letter of ["\r", "\u2028", "\u2029", "\u0085", "\v", "\f"])
      expect(verdictOf(`*** Add File: ok${letter}/../.git/hooks/pre-commit`, "+x")).toBe("deny");
  });
});

describe("lines that may be headers for somebody", () => {
  test.each([
    "***Add File: .git/config",
    "***  Add File: .git/config",
    "*** Add\tFile: .git/config",
    "*** Add File : .git/config",
    "*** Add File:.git/config",
    "*** Add File",
    "*** Move  to: .git/config",
    "\u200b*** Add File: .git/config",
    "\u0000*** Delete File: .git/config",
    "@@ *** Update File: .git/config",
    "> *** Add File: x",
    " text *** Move to: x",
    "+x\r*** Add File: .git/config",
    "+x\u2028 *** Add File: .git/config",
    "*** Add File:  .git/config",
    "*** Add File: \u00a0.git/config",
    "*** Add File: .git/config\u00a0",
    "*** Environment ID: elsewhere",
  ])("%j makes the patch unreadable", (line) => {
    expect(verdictOf("*** Add File: fine.txt", "+x", line, "+y")).toBe("deny");
  });
  test("an added or removed line may speak of headers", () => {
    expect(
      verdictOf(
        "*** Update File: docs/patches.md",
        "@@",
        "-*** Add File: .git/config",
        "+ *** Move to: .git/x",
        " end",
      ),
    ).toBe("allow");
  });
});
