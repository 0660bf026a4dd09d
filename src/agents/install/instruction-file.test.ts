import { expect, test } from "vitest";
import { leftOutLine, namePaths } from "./instruction-file.ts";

const paths = (count: number) => Array.from({ length: count }, (_, at) => `/w/a${at}.md`);

test("the first five paths are named as the person sees them, and the others are counted", () => {
  expect(namePaths(paths(5), "/w")).toBe("a0.md, a1.md, a2.md, a3.md, a4.md");
  expect(namePaths(paths(7), "/w")).toBe("a0.md, a1.md, a2.md, a3.md, a4.md and 2 more");
});

test("one line names what is left out by its reason, and nothing is said when nothing is", () => {
  const files = [
    { path: "/w/AGENTS.md", because: "it is a link" },
    { path: "/w/b/AGENTS.md", because: "it is binary" },
    { path: "/w/c/AGENTS.md", because: "it is a link" },
  ];
  expect(leftOutLine("Codex", files, "/w")).toMatch(
    /^left out of the instructions for Codex: AGENTS\.md, c\/AGENTS\.md \(it is a link\); b\/AGENTS\.md \(it is binary\); /,
  );
  expect(leftOutLine("Codex", [], "/w")).toBeUndefined();
});
