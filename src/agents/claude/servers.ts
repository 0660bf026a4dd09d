import { existsSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { gitTop } from "../../lib/git-top.ts";
import { isInside } from "../../lib/inside.ts";
import { isRecord, strings } from "../../lib/is-record.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import type { InstallParts } from "../../contract/agent-install.ts";
import { readSettings } from "../install/read-settings.ts";

const MAX_CONFIGURATION = 64 * 1024 * 1024;
const MAX_POINTER = 65_536;

type Servers = Readonly<Record<string, unknown>>;

/**
 * The person's own MCP servers of this project, which `claude mcp add` keeps in the home folder. Claude Code drops them
 * together with the settings of the repository. None when the home cannot be read or is inside the workspace.
 */
export function ownServers({ cwd, env, workspace }: Pick<InstallParts, "cwd" | "env" | "workspace">): Servers {
  const file = configuration(env, cwd);
  if (!existsSync(file) || isInside(realpathSync(file), workspace)) return {};
  const projects = readSettings(file, MAX_CONFIGURATION)?.["projects"];
  const project = isRecord(projects) ? projects[projectFolder(realpathSync(cwd))] : undefined;
  if (!isRecord(project) || !isRecord(project["mcpServers"])) return {};
  const off = strings(project["disabledMcpServers"]) ?? [];
  return Object.fromEntries(Object.entries(project["mcpServers"]).filter(([name]) => !off.includes(name)));
}

/** The file in which Claude Code keeps its projects. The older place wins while it exists. */
function configuration(env: NodeJS.ProcessEnv, cwd: string): string {
  const given = env["CLAUDE_CONFIG_DIR"] ?? "";
  const home = env["HOME"] ?? homedir();
  const older = join(given === "" ? join(home, ".claude") : resolve(cwd, given), ".config.json");
  return existsSync(older) ? older : join(given === "" ? home : resolve(cwd, given), ".claude.json");
}

/** Claude Code's key for a project: the top of its repository, or of the main work tree for a linked one. */
function projectFolder(cwd: string): string {
  const top = gitTop(cwd);
  if (top === undefined) return cwd;
  const { folder, commonFolder } = top;
  if (commonFolder === undefined || basename(commonFolder) !== ".git" || !knowsTree(commonFolder, folder))
    return folder;
  return dirname(commonFolder);
}

/** A `.git` file that points to another repository is believed only when that repository points back. */
function knowsTree(commonFolder: string, tree: string): boolean {
  const admin = join(commonFolder, "worktrees");
  if (!existsSync(admin)) return false;
  return readdirSync(admin).some((name) => {
    const back = textOf(join(admin, name, "gitdir"));
    return back !== undefined && resolve(admin, name, back.trim()) === join(tree, ".git");
  });
}

function textOf(path: string): string | undefined {
  try {
    return readBounded(path, MAX_POINTER).bytes.toString("utf8");
  } catch {
    return undefined;
  }
}
