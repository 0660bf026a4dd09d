import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentInstall } from "../../contract/agent-install.ts";
import { MAX_SETTINGS, readBounded } from "../../lib/read-bounded.ts";
import { foldersUp } from "../install/walk-folders.ts";
import { homeOf } from "../install/read-settings.ts";

export const codexRule: AgentInstall["ownRule"] = ({ flags, env, cwd, workspace }, root = "/") => {
  const home = env["CODEX_HOME"] ?? join(homeOf(env), ".codex");
  const own = [home, ...foldersUp(cwd, workspace).map((folder) => join(folder, ".codex"))];
  const folders = [...(flags.includes("--ignore-rules") ? [] : own), join(root, "etc/codex")];
  const files = folders.flatMap((folder) => rulesBelow(join(folder, "rules")));
  for (const where of [...files, join(root, "etc/codex/requirements.toml")]) {
    const rule = strictLine(textOf(where));
    if (rule !== undefined) return { rule, where };
  }
  return undefined;
};

function rulesBelow(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".rules")).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The line that forbids or asks, or whose decision is computed. Rules are a program: only a plain `allow` is certain. */
function strictLine(text: string): string | undefined {
  const lines = text.split("\n").map((line) => line.replace(/^\s*#.*/, "").trim());
  return lines.find(
    (line) => /forbidden|prompt/.test(line) || /\bdecision\s*=(?!\s*"allow"\s*[,)]|\s*"allow"\s*$)/.test(line),
  );
}

function textOf(path: string): string {
  try {
    return readBounded(path, MAX_SETTINGS).bytes.toString("utf8");
  } catch {
    // The agent, which runs as the same user, cannot read it either.
    return "";
  }
}
