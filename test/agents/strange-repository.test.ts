import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT, signalbox } from "../run-signalbox.ts";
import { tempFolder } from "../temp-folder.ts";
import { program, type RealAgent, realAgent, UNATTENDED } from "./real-agent.ts";

const SERVER = join(PROJECT, "test/fixtures/mcp-server.mjs");

/** The names of all MCP tools that the model was offered. */
const serverTools = ({ model }: RealAgent) =>
  [...new Set(model.requests.flatMap(({ toolNames }) => toolNames))]
    .filter((name) => name.startsWith("mcp__"))
    .toSorted();

test("claude keeps the servers that the person has added for the project, and gets none of the repository's", async () => {
  await using agent = await realAgent("claude", { turns: [{ text: "done" }] });
  const env = { ...agent.env, ENABLE_TOOL_SEARCH: "false", MCP_CONNECTION_NONBLOCKING: "0" };
  const { cwd } = agent;
  const add = (...words: string[]) =>
    execFileSync(program("claude"), ["mcp", "add", ...words, "--", process.execPath, SERVER], { cwd, env });
  add("local");
  add("--scope", "user", "everywhere");
  const planted = { mcpServers: { planted: { command: process.execPath, args: [SERVER] } } };
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify(planted));
  const outcome = await signalbox(["claude", "-p", "work", "--", ...UNATTENDED.claude], { cwd, env });
  expect([outcome.code, serverTools(agent)]).toEqual([0, ["mcp__everywhere__look", "mcp__local__look"]]);
  expect(outcome.stderr).toContain(".mcp.json of this repository may start programs and is not trusted");
});

test.each(["codex", "copilot"] as const)("%s is not run by a node that lies in the repository", async (name) => {
  await using agent = await realAgent(name, { turns: [{ text: "done" }] });
  const { cwd } = agent;
  const bin = join(cwd, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "node"), `#!/bin/sh\ntouch '${cwd}/ran'\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
  const env = { ...agent.env, PATH: `${bin}:${agent.env["PATH"]}` };
  const outcome = await signalbox([name, "-p", "work", "--", ...UNATTENDED[name]], { cwd, env });
  expect([outcome.code, existsSync(join(cwd, "ran"))]).toEqual([0, false]);
  expect(outcome.stderr).toContain(`passed over ${join(bin, "node")}`);
});

test("claude in a clone of a staged repository is held, and nothing of it is left out", async () => {
  await using agent = await realAgent("claude", {
    turns: [{ shell: "touch denied.txt; sudo true" }, { shell: "touch allowed.txt" }, { text: "done" }],
  });
  const { cwd, env } = agent;
  expect((await signalbox(["stage", "claude"], { cwd, env: { ...env, HOME: tempFolder() } })).code).toBe(0);
  const outcome = await signalbox(["claude", "-p", "work", "--", ...UNATTENDED.claude], { cwd, env });
  const happened = ["denied.txt", "allowed.txt"].map((name) => existsSync(join(cwd, name)));
  expect([outcome.code, ...happened, outcome.stderr.includes("not trusted")]).toEqual([0, false, true, false]);
});
