import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withoutSandbox } from "./without-sandbox.ts";
import { tempFolder } from "./temp-folder.ts";

const RECORDER = join(import.meta.dirname, "../fixtures/agents/recorder");

interface Recorded {
  /** Without the flags that put the guard in. */
  readonly argv: string[];
  readonly guardFlags: string[];
  readonly stdin: string;
  readonly env: Record<string, string>;
}

export interface StandIn {
  /** Environment that puts the stand-in on PATH and gives it an empty home. */
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly home: string;
  /** What the stand-in saw, or undefined when it was never started. */
  readonly recorded: () => Recorded | undefined;
}

/**
 * A program of that name on PATH: the recorder, or the given sh script. Its commands are not contained, because it has
 * none: the trial of a sandbox would only cost time.
 */
export function standInAgent(name: string, script?: string): StandIn {
  const base = tempFolder();
  const [folder, record, home] = [join(base, "bin"), join(base, "record"), join(base, "home")];
  for (const made of [folder, record, home]) mkdirSync(made);
  withoutSandbox(home);
  if (script === undefined) copyFileSync(RECORDER, join(folder, name));
  else writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    env: { PATH: `${folder}:${process.env["PATH"]}`, HOME: home, RECORD: record, TMPDIR: base },
    folder,
    home,
    recorded: () => (existsSync(join(record, "argv")) ? readRecord(record) : undefined),
  };
}

function readRecord(record: string): Recorded {
  const entries = (file: string) => readFileSync(join(record, file), "utf8").split("\0").slice(0, -1);
  const env = entries("env").map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]);
  const stdin = existsSync(join(record, "stdin")) ? readFileSync(join(record, "stdin"), "utf8") : "";
  const words = entries("argv");
  const ours = words.map((word, index) => isGuardFlag(word, words[index + 1]) || isGuardFlag(words[index - 1], word));
  return {
    argv: words.filter((_, index) => ours[index] !== true),
    guardFlags: words.filter((_, index) => ours[index] === true),
    stdin,
    env: Object.fromEntries(env),
  };
}

/** The pairs of words with which a launch gives an agent its hooks and texts. */
function isGuardFlag(flag: string | undefined, value: string | undefined): boolean {
  if (flag === "--setting-sources" || flag === "--add-dir") return true;
  if (flag === "--plugin-dir") return /\/(?:copilot|given)-plugin$/.test(value ?? "");
  if (flag === "--mcp-config") return value?.endsWith("/claude-servers.json") === true;
  if (flag === "--settings") return value?.endsWith("/claude-settings.json") === true;
  return (
    flag === "-c" &&
    /^(?:hooks\.|features\.(?:hooks|unified_exec_tty)=|projects=|developer_instructions=)/.test(value ?? "")
  );
}
