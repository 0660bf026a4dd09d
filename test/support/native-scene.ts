import { readdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ScriptInput } from "../../src/models/scripted/script.ts";
import { startScriptedModel } from "../../src/models/scripted/server.ts";
import { signalbox } from "./run-signalbox.ts";
import { tempFolder, tempRepository } from "./temp-folder.ts";

/** A model that plays `script`, a repository to work in, and a way to run signalbox there. */
export async function scene(script: ScriptInput) {
  const server = await startScriptedModel({ script });
  onTestFinished(() => server.close());
  const cwd = tempRepository();
  const home = tempFolder();
  const env = { HOME: home, SIGNALBOX_MODEL: "compatible/m", SIGNALBOX_BASE_URL: `${server.url}/v1` };
  const run = (args: readonly string[], more: Parameters<typeof signalbox>[1] = {}) =>
    signalbox(args, { cwd, ...more, env: { ...env, ...more.env } });
  return { server, cwd, home, run, sessions: join(home, ".signalbox", "sessions") };
}

/** The logs in a folder of sessions. */
export const logsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

/** Waits until `holds`, or fails with the test's own time-out. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
