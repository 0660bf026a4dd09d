import { expect, test } from "vitest";
import { dialect } from "./given.ts";

test("only models of Gemini are kept, and a server's tools are named as Gemini names them", () => {
  expect([dialect.model("gemini-2.5-flash"), dialect.model("opus"), dialect.model("")]).toEqual([
    "gemini-2.5-flash",
    undefined,
    undefined,
  ]);
  expect([dialect.serverTool?.("docs", "find"), dialect.serverTool?.("docs", undefined)]).toEqual([
    "mcp_docs_find",
    "mcp_docs_*",
  ]);
});
