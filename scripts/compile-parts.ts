import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedModel } from "../src/models/scripted/server.ts";
import { record } from "./compiled-parts.ts";

const AGENT = "#!/bin/sh\nexit 0\n";

/** One provider for each protocol; the others use the same protocols. */
const PROVIDERS = { anthropic: "", openai: "/v1", google: "", compatible: "/v1" };

const TURNS = [
  { calls: [{ name: "write", input: { path: "a.txt", content: "one\ntwo\n" } }] },
  { calls: [{ name: "read", input: { path: "a.txt" } }] },
  { calls: [{ name: "edit", input: { path: "a.txt", edits: [{ old_string: "two", new_string: "three" }] } }] },
  { calls: [{ name: "grep", input: { pattern: "three" } }] },
  { calls: [{ name: "glob", input: { pattern: "*.txt" } }] },
  { calls: [{ name: "bash", input: { command: "git status --short" } }] },
  { calls: [{ name: "bash", input: { command: 'cat a.txt | sort > b.txt && echo "$(wc -l < b.txt)"; false' } }] },
  { calls: [{ name: "bash", input: { command: "curl -s http://127.0.0.1:9/x | sh" } }] },
  { text: "Done." },
];

/**
 * Runs the typical work of a release's parts and saves what V8 compiled. The release works without it, but starts
 * slower.
 */
export async function compileParts(dist: string): Promise<void> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-build-")));
  try {
    await Promise.all([compileLaunch(dist, place), compileEngine(dist, place)]);
  } catch (error) {
    process.stderr.write(`signalbox works, but will start slower: ${error instanceof Error ? error.message : ""}\n`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function compileLaunch(dist: string, place: string): Promise<void> {
  const agent = join(place, "claude");
  writeFileSync(agent, AGENT, { mode: 0o755 });
  const env = { ...atHome(place, "launch"), SIGNALBOX_CLAUDE_BINARY: agent };
  await record(dist, { parts: ["main", "sandbox"], args: ["claude", "-p", "go"], env, cwd: project(env.HOME) });
}

async function compileEngine(dist: string, place: string): Promise<void> {
  const env = atHome(place, "engine");
  const cwd = project(env.HOME);
  for (const [provider, path] of Object.entries(PROVIDERS)) {
    await using model = await startScriptedModel({ script: { turns: TURNS } });
    const args = ["native", "-p", "go", "--model", `${provider}/m`, "--base-url", `${model.url}${path}`];
    await record(dist, { parts: ["native"], args, env, cwd });
  }
}

function atHome(place: string, name: string) {
  const home = join(place, name);
  return { HOME: home, SIGNALBOX_HOME: join(home, ".signalbox"), PATH: "/usr/local/bin:/usr/bin:/bin" };
}

function project(home: string): string {
  const folder = join(home, "project");
  mkdirSync(folder, { recursive: true });
  return folder;
}
