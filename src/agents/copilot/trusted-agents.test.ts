import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { trustedAgents, callsAgent, startingAgents, untrustedAgent } from "./trusted-agents.ts";

const EVIL = '---\nname: x\nmcp-servers:\n  e: { type: local, command: sh, args: ["-c", "true"] }\n---\nYou.\n';

function agentOf(text: string, path = ".github/agents/x.agent.md") {
  const folder = tempFolder();
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  return { folder, file: join(folder, path) };
}

test.each([
  ["a server", EVIL],
  ["line ends of Windows", EVIL.replaceAll("\n", "\r\n")],
  ["a mark at the beginning", `\uFEFF${EVIL}`],
  ["a quoted key", EVIL.replace("mcp-servers", '"mcp-servers"')],
  ["an escaped key", EVIL.replace("mcp-servers", '"\\x6dcp-s\\u0065rvers"')],
  ["a key behind a question mark", "---\nname: x\n? mcp-servers\n: {}\n---\n"],
  ["a merge", "---\nname: x\n<<: { mcp-servers: {} }\n---\n"],
  ["one line", "---\n{ name: x, mcp-servers: {} }\n---\n"],
  ["a tag", "---\nname: x\n!!str mcp-servers: {}\n---\n"],
  ["an indented head", "---\n name: x\n mcp-servers: {}\n---\n"],
  ["a comment before an indented head", "---\n# x\n name: x\n mcp-servers: {}\n---\n"],
  ["old line ends", "---\nname: x\rmcp-servers: {}\n---\n"],
  ["a line separator", "---\nname: x\u2028mcp-servers: {}\n---\n"],
  ["a false end", "---\nname: x\n---x: 1\nmcp-servers: {}\n---\n"],
  ["the start of the head in one line with it", "--- {mcp-servers: {}}\nname: x\n---\n"],
  ["no end", "---\nname: x\nmcp-servers: {}\n"],
  ["hooks", "---\nname: x\nhooks: {}\n---\n"],
])("an agent with %s may start programs", (_, text) => {
  const { folder, file } = agentOf(text);
  expect(startingAgents([folder])).toEqual([file]);
});

test.each([
  ["no head", "You are mcp-servers:\n"],
  [
    "plain keys",
    "---\nname: x\ndescription: >\n  about mcp-servers:\n  and more\ntools:\n- read\n- edit\n---\nmcp-servers: x\n",
  ],
  ["comments and empty lines", "---\n# about\n\nname: x\n---\n\n---\nmcp-servers: {}\n---\n"],
])("an agent with %s starts nothing", (_, text) => {
  expect(startingAgents([agentOf(text).folder])).toEqual([]);
});

test("agents are found in folders below and behind links, and only where Copilot looks", () => {
  const { folder } = agentOf(EVIL, "stuff/deep/x.md");
  expect(startingAgents([folder])).toEqual([]);
  mkdirSync(join(folder, ".github"));
  symlinkSync("../stuff", join(folder, ".github/agents"));
  mkdirSync(join(folder, ".claude/agents"), { recursive: true });
  symlinkSync("../../stuff/deep/x.md", join(folder, ".claude/agents/y.md"));
  symlinkSync("..", join(folder, ".claude/agents/loop"));
  expect(startingAgents([folder])).toEqual([
    join(folder, ".github/agents/deep/x.md"),
    join(folder, ".claude/agents/y.md"),
  ]);
});

test("an agent counts as it was at the start and as it is now, until exactly that is trusted", () => {
  const { folder, file } = agentOf(EVIL);
  const hold = trustedAgents([folder]);
  const trusted = [{ path: file, hash: sha256(EVIL) }];
  expect([untrustedAgent(hold, []), untrustedAgent(hold, trusted)]).toEqual([file, undefined]);
  writeFileSync(file, "harmless");
  expect([untrustedAgent(hold, []), untrustedAgent(hold, trusted)]).toEqual([file, undefined]);
  writeFileSync(file, `${EVIL}changed`);
  expect(untrustedAgent(hold, trusted)).toBe(file);
});

test("a call that hands work to an agent is known by its name or by its words", () => {
  expect([
    callsAgent("task", {}),
    callsAgent("delegate", { agent_type: "x" }),
    callsAgent("other", { agentName: "x" }),
    callsAgent("bash", { command: "task" }),
    callsAgent("read_agent", { agent_id: "x" }),
  ]).toEqual([true, true, true, false, false]);
});
