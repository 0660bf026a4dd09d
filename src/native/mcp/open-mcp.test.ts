import { expect, test } from "vitest";
import { toolSpellings } from "../../guard/judge/tool-call.ts";
import { judgedName, serverWord, wireName } from "./open-mcp.ts";

const wire = (tool: string, taken: readonly string[] = []) => wireName("s", tool, new Set(taken));

test("ordinary names are kept", () => {
  expect([wire("read_file"), wire("get-sum")]).toEqual(["mcp__s__read_file", "mcp__s__get-sum"]);
});

test.each(["a/b c", "a.b", "ümlaut", "x".repeat(200), "", "\n", "a\u0000b"])(
  "%j becomes a name that every provider takes",
  (tool) => {
    const name = wire(tool);
    expect(name).toMatch(/^mcp__s__[\w-]{1,56}$/);
    expect(name.length).toBeLessThanOrEqual(64);
    expect(wire(tool, [name])).not.toBe(name);
    expect(wire(tool, [name])).toMatch(/^[\w-]{1,64}$/);
  },
);

test("names that differ only in odd characters stay apart", () => {
  expect(new Set(["a b", "a/b", "a:b"].map((tool) => wire(tool))).size).toBe(3);
});

test("a pattern of a policy sees the server's own name, however long it is", () => {
  const tool = `delete_${"x".repeat(100)}`;
  expect(toolSpellings(judgedName("s", tool, wire(tool)))).toContain(`mcp:s/${tool}`);
  expect(toolSpellings(judgedName("s", "repo.delete", wire("repo.delete")))).toContain("mcp:s/repo.delete");
  expect(judgedName("s", "a/../b", "mcp__s__a_b_1")).toBe("mcp__s__a_b_1");
});

test("no server's word contains the mark between server and tool", () => {
  expect(["a__b", "my server", "@scope/x", "_", "a..b"].map(serverWord)).toEqual([
    "a_b",
    "my_server",
    "scope_x",
    expect.stringMatching(/^server_[0-9a-f]{8}$/),
    "a_b",
  ]);
});

test("a rule can be written for every server, whatever an editor calls it", () => {
  for (const name of ["-x", "__x", "x y", "日本", "-", "a__b"])
    expect(toolSpellings(judgedName(serverWord(name), "run", ""))[1]).toMatch(/^mcp:\w[\w-]*\/run$/);
});
