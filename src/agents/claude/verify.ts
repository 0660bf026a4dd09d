import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { systemProgram } from "../../lib/system-program.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import type { InstallParts } from "../../contract/agent-install.ts";

type Settings = Readonly<Record<string, unknown>>;

const MILLISECONDS = 20_000;

/**
 * Asks Claude Code itself whether it accepts settings into which the person's own are merged. A single value that it does
 * not understand makes it silently ignore the whole file, including our hooks.
 */
export async function verifyClaude(parts: InstallParts, settings: Settings): Promise<void> {
  const folder = mkdtempSync(join(parts.folder, "asked-"));
  const marker = join(folder, "taken");
  const file = join(folder, "settings.json");
  writeFileSync(file, JSON.stringify(probe(settings, marker)), { mode: 0o600 });
  // A separate home, so that the person's hooks do not run twice.
  const home = { HOME: folder, CLAUDE_CONFIG_DIR: folder, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  const child = spawn(parts.binary, ["--init-only", "--settings", file], {
    cwd: folder,
    env: { ...parts.env, ...home },
    stdio: "ignore",
    timeout: MILLISECONDS,
    killSignal: "SIGKILL",
  });
  await once(child, "close").catch(() => {});
  if (existsSync(marker)) return;
  throw new UserError("Claude Code rejects your settings, and would ignore our hooks with them", {
    where: "--settings",
    fix: "look for a key with a value that Claude Code does not accept, or remove --settings",
    exitCode: EXIT.refused,
  });
}

/** The same settings, but all hooks wait for a tool call that never comes, and one more creates a file at the start. */
function probe(settings: Settings, marker: string): Settings {
  const groups = isRecord(settings["hooks"]) ? Object.values(settings["hooks"]).flat() : [];
  const hook = { type: "command", command: systemProgram("touch") ?? "touch", args: [marker] };
  return { ...settings, hooks: { PreToolUse: groups, SessionStart: [{ matcher: "*", hooks: [hook] }] } };
}
