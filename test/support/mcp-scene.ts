import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { McpProgram, McpServer } from "../../src/contract/mcp-server.ts";
import type { Policy } from "../../src/contract/policy.ts";
import { PRESETS } from "../../src/guard/presets/presets.ts";
import { readIfThere } from "../../src/lib/files/read-file.ts";
import { liveServer } from "../../src/native/mcp/live-server.ts";
import { openMcp } from "../../src/native/mcp/open-mcp.ts";
import { UNCONTAINED } from "../../src/sandbox/run/contained-commands.ts";
import { tempFolder } from "./temp-folder.ts";

/** The server program that misbehaves as it is told; see its list of kinds. */
export const SERVER = join(import.meta.dirname, "mcp-server.mjs");

/** It in a workspace, where a sandbox shows it, and a Node that a sandbox shows: ours may be below /tmp. */
export function visibleServer(workspace: string): { readonly command: string; readonly file: string } {
  const file = join(workspace, "mcp-server.mjs");
  copyFileSync(SERVER, file);
  return { command: "node", file };
}

/** It as a configured server. */
export const smallServer = (kind = "plain", more: Partial<McpProgram> = {}): McpProgram => ({
  type: "stdio",
  name: "small",
  command: process.execPath,
  args: [SERVER, kind],
  env: {},
  ...more,
});

/** What servers need in a test, with what they warned of and which texts came from outside. */
export function mcpPlace(network: Partial<Policy["network"]> = {}) {
  const [home, workspace] = [tempFolder(), tempFolder()];
  const warnings: string[] = [];
  const outside: string[] = [];
  const base = { ...PRESETS.default, version: 1, workspaceRoot: workspace, home: tempFolder() } as const;
  return {
    home,
    workspace,
    policy: { ...base, network: { ...base.network, ...network } } satisfies Policy,
    environment: process.env,
    containment: UNCONTAINED,
    marksFolder: join(home, "commands"),
    version: "1.2.3",
    waitMs: 60_000,
    warn: (text: string) => void warnings.push(text),
    warnings,
    boundText: (text: string) => (text.length > 1000 ? `${text.slice(0, 1000)} [cut]` : text),
    onOutsideText: (text: string) => void outside.push(text),
    outside,
  };
}

type McpPlace = ReturnType<typeof mcpPlace> & { readonly startMs?: number };

/** One server, ended with the test. */
export function live(server: McpServer, place: McpPlace = mcpPlace()) {
  const started = liveServer(server, place, place.warn);
  onTestFinished(() => started[Symbol.asyncDispose]());
  const call = async (tool: string, text = "", signal = new AbortController().signal): Promise<unknown> =>
    await started.call({ tool, input: { text }, signal, progress: () => undefined });
  return { server: started, place, call };
}

/** A session with servers, ended with the test. */
export function openServers(servers: readonly McpServer[], place: McpPlace = mcpPlace()) {
  const session = openMcp(servers, place, place, place.warn);
  onTestFinished(() => session[Symbol.asyncDispose]());
  const never = new AbortController().signal;
  const run = async (name: string, input: Record<string, unknown> = {}) => {
    const tool = session.tools().find((each) => each.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    const context = { callId: "c", signal: never, progress: () => undefined, emit: () => undefined };
    return await tool.run(tool.input.parse(input), context);
  };
  return {
    session,
    place,
    run,
    ready: () => session.settled(never),
    names: () => session.tools().map(({ name }) => name),
  };
}

/** Configures servers for the user of a home. */
export function configure(home: string, mcpServers: Readonly<Record<string, object>>): void {
  mkdirSync(join(home, ".signalbox"), { recursive: true });
  writeFileSync(join(home, ".signalbox", "mcp.json"), JSON.stringify({ mcpServers }));
}

/** The calls that a server noted in a file. */
export const notedCalls = (file: string) => (readIfThere(file)?.toString("utf8") ?? "").split("\n").filter(Boolean);

/** The policy of the user of a home, as YAML. */
export function writePolicy(home: string, yaml: string): void {
  mkdirSync(join(home, ".signalbox"), { recursive: true });
  writeFileSync(join(home, ".signalbox", "policy.yaml"), `version: 1\n${yaml}\n`);
}

export const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
