import { existsSync, realpathSync } from "node:fs";
import { PACKS } from "../agents/packs.ts";
import type { StartingFile } from "../agents/pack/agent-pack.ts";
import { checkPolicy } from "../guard/policy/active-policy.ts";
import { workspacePolicy } from "../guard/policy/compiled-policy.ts";
import { readTrust, refuseNewerTrust, revoke, trust, type TrustedFile } from "../guard/policy/trust.ts";
import { carriedHooks, readHookFile } from "../hooks/project/registration.ts";
import { currentFolder, findWorkspace } from "../lib/path/workspace.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { printable, printableLine } from "../lib/text/printable.ts";
import { say } from "../lib/process/standard-streams.ts";
import { sha256 } from "../lib/json/sha256.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { refuseInSandbox } from "../lib/process/inside-session.ts";
import {
  projectMcpFile,
  projectSettingsPath,
  readSettings,
  settingsPath,
  userMcpFile,
} from "../native/settings/settings-files.ts";
import { listRecipes } from "../recipes/recipe/find-recipe.ts";
import { recipeFolders } from "../recipes/recipe/recipe-folders.ts";
import { readText } from "./active-policy.ts";
import type { CommandModule } from "./command-module.ts";

export const command: CommandModule = {
  configure(trusting) {
    trusting
      .option("--list", "show what is trusted")
      .option("--revoke", "stop trusting what is trusted here")
      .option("--yes", "trust what was shown without asking")
      .addHelpText("after", EXAMPLES);
  },
  async run({ flags }) {
    const folder = signalboxHome();
    refuseNewerTrust(folder);
    const workspace = findWorkspace(realpathSync(currentFolder()));
    if (flags["list"] === true) return list(folder);
    refuseInSandbox("a command in the sandbox cannot change trust", "run it in your own terminal: signalbox trust");
    if (flags["revoke"] === true) return revokeHere(folder, workspace);
    return await trustHere(folder, workspace, flags["yes"] === true);
  },
};

/** A workspace file that only takes effect once it is trusted. */
interface Candidate {
  readonly path: string;
  readonly what: string;
  readonly hash: string;
  /** The text to show; empty for a binary program. */
  readonly text: string;
}

function list(folder: string): number {
  for (const file of readTrust(folder)) {
    const now = isAsTrusted(file) ? "unchanged" : "changed or missing: no longer trusted";
    process.stdout.write(`${printableLine(file.path)}  since ${file.time}  ${now}\n`);
  }
  return EXIT.ok;
}

/** Policies are identified by the hash of their text, hooks by the hash of their bytes. */
function isAsTrusted({ path, hash }: TrustedFile): boolean {
  try {
    const { bytes, hash: now } = readHookFile(path);
    return hash === now || hash === sha256(bytes.toString("utf8"));
  } catch {
    return false;
  }
}

function revokeHere(folder: string, workspace: string): number {
  const policy = workspacePolicy(workspace);
  const hooks = readTrust(folder)
    .map(({ path }) => path)
    .filter((path) => path !== policy && path.startsWith(`${workspace}/`));
  for (const path of [policy, ...hooks])
    process.stdout.write(
      `${printableLine(path)} ${revoke(folder, path) ? "is no longer trusted" : "was not trusted"}\n`,
    );
  return EXIT.ok;
}

/** Shows every file, or what changed since it was trusted, and trusts them when `--yes` is given. */
async function trustHere(folder: string, workspace: string, yes: boolean): Promise<number> {
  // One program may serve several events.
  const candidates = [...new Map((await candidatesIn(folder, workspace)).map((each) => [each.path, each])).values()];
  if (candidates.length === 0)
    throw new UserError("nothing to trust here: this workspace has no policy, hooks or settings", {
      where: workspacePolicy(workspace),
      fix: "create one first: signalbox init (see docs/guard.md and docs/staging.md)",
    });
  const known = readTrust(folder);
  const fresh = candidates.filter(({ path, hash }) => !known.some((file) => file.path === path && file.hash === hash));
  for (const { path } of candidates.filter((candidate) => !fresh.includes(candidate)))
    process.stdout.write(`${printableLine(path)} is already trusted\n`);
  if (fresh.length === 0) return EXIT.ok;
  for (const { path, what, text } of fresh) {
    const before = known.find((file) => file.path === path)?.text;
    const shown = text === "" ? "(binary program, not shown)" : difference(before ?? "", text);
    process.stdout.write(`${printable(`--- ${printableLine(path)} (${what})\n${shown}`)}\n`);
  }
  if (!yes)
    throw new UserError("nothing is trusted yet", {
      where: fresh.map(({ path }) => path).join(", "),
      fix: "read it, then run: signalbox trust --yes",
      exitCode: EXIT.refused,
    });
  for (const { path, text, hash } of fresh) {
    trust(folder, { path, text, hash, time: new Date().toISOString() });
    process.stdout.write(`${printableLine(path)} is now trusted as shown; any change revokes that\n`);
  }
  return EXIT.ok;
}

async function candidatesIn(folder: string, workspace: string): Promise<readonly Candidate[]> {
  const path = workspacePolicy(workspace);
  const hooks = carriedHooks({ workspace, folder }, process.env);
  for (const { name, broken } of hooks) if (broken !== undefined) say(`the hook ${name} cannot be trusted: ${broken}`);
  return [
    ...(existsSync(path) ? [policyAt(path)] : []),
    ...settingsIn(folder, workspace),
    ...serversIn(folder, workspace),
    ...(await startingFiles(workspace)).map(settingsOf),
    ...hooks.filter(({ broken }) => broken === undefined).map(({ file, event }) => hookAt(file, event)),
    ...recipesIn(workspace, folder),
  ];
}

/** The recipes of the repository, which run by name only when they are trusted. */
function recipesIn(workspace: string, home: string): readonly Candidate[] {
  const folders = recipeFolders({ workspace, home, env: {}, named: [], bundled: "" });
  return listRecipes(folders.filter(({ origin }) => origin === "repository")).map(({ file }) => {
    const text = readText(file);
    return { path: file, what: "a recipe", text, hash: sha256(text) };
  });
}

/** Everything that agents would start programs from. A file that two agents read is listed once. */
async function startingFiles(workspace: string): Promise<readonly StartingFile[]> {
  const finders = await Promise.all(PACKS.flatMap((pack) => pack.startingFiles?.() ?? []));
  const found = finders.map((find) => find({ cwd: currentFolder(), workspace }));
  for (const place of found.flatMap(({ unfit }) => unfit))
    say(`${printableLine(place)} cannot be trusted: it contains a plugin, or too many files to review`);
  const files = found.flatMap((each) => each.files);
  return files.filter(({ path }, index) => files.findIndex((file) => file.path === path) === index);
}

function policyAt(path: string): Candidate {
  const text = readText(path);
  checkPolicy(text, path);
  return { path, what: "policy", text, hash: sha256(text) };
}

/** The engine's settings, which apply only when they are trusted. In the home folder they are the user's own. */
function settingsIn(folder: string, workspace: string): readonly Candidate[] {
  const path = projectSettingsPath(workspace);
  if (!existsSync(path) || path === settingsPath(folder)) return [];
  const text = readText(path);
  readSettings(text, path, "project");
  return [{ path, what: "settings of the engine", text, hash: sha256(text) }];
}

/** The engine's MCP servers, which it starts only when they are trusted. `.mcp.json` is among those of Claude Code. */
function serversIn(folder: string, workspace: string): readonly Candidate[] {
  const path = projectMcpFile(workspace);
  if (!existsSync(path) || path === userMcpFile(folder)) return [];
  const text = readText(path);
  return [{ path, what: "MCP servers that the engine starts", text, hash: sha256(text) }];
}

const SETTINGS = "a file that lets an agent start programs";

function settingsOf({ path, text = readText(path), what = SETTINGS }: StartingFile): Candidate {
  return { path, what, text, hash: sha256(text) };
}

const MAX_SHOWN = 64 * 1024;

function hookAt(path: string, event: string): Candidate {
  const { bytes, hash } = readHookFile(path);
  const text = bytes.length > MAX_SHOWN || bytes.includes(0) ? "" : bytes.toString("utf8");
  return { path, what: `a hook that runs on ${event}`, text, hash };
}

/** Removed and added lines, in the order of the new text. */
function difference(before: string, after: string): string {
  const old = before === "" ? [] : before.split("\n");
  const now = after.split("\n");
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.map((line) => (old.includes(line) ? `  ${line}` : `+ ${line}`)),
  ].join("\n");
}

const EXAMPLES = `
Covers .signalbox/policy.yaml, .signalbox/settings.yaml, .signalbox/mcp.json, every hook in the repository
(.signalbox/hooks, and amplihack's scripts under .claude/tools), the settings and texts from which Claude Code starts programs (.claude/settings.json, .mcp.json, skills,
commands, agents), recipes (.signalbox/recipes, .claude/recipes, amplifier-bundle/recipes), Copilot agents that name
servers (.github/agents), and for Codex .codex/config.toml and those
.codex/agents that contain more than text. Each is trusted by its content on this machine; any change revokes the trust.

Examples:
  signalbox trust            show the policy and hooks of this workspace
  signalbox trust --yes      trust them as shown
  signalbox trust --revoke   stop trusting them`;
