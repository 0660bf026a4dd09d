import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { GivenInstructions, InstallParts } from "../../contract/agent-install.ts";
import { isInside } from "../../lib/path/inside.ts";
import { givenPlugin, type NativeFiles, withoutNative } from "../install/given-plugin.ts";
import { type ReadingRights, readInstruction } from "../install/instruction-file.ts";
import { foldersDown } from "../install/walk-folders.ts";
import { possibleImports, targetOf } from "./instructions.ts";

type Parts = Pick<InstallParts, "given" | "cwd" | "workspace" | "folder" | "mayRead">;

const NATIVE: NativeFiles = {
  agents: ({ folder, name }) => [join(".claude/agents", folder, `${name}.md`)],
  commands: ({ folder, name }) => [join(".claude/commands", folder, `${name}.md`)],
  skills: ({ name }) => [`.claude/skills/${name}/SKILL.md`],
};

/** Flags that give Claude Code the texts of `.signalbox/`. `loadsRepository`: it also reads `.claude/` itself. */
export function claudeGiven(parts: Parts, loadsRepository: boolean): readonly string[] {
  if (parts.given === undefined) return [];
  const here = { ...parts, cwd: realpathSync(parts.cwd) };
  const texts = loadsRepository
    ? withoutNative(parts.given, foldersDown(here.cwd, parts.workspace), NATIVE)
    : parts.given;
  const plugin = givenPlugin(texts, parts.folder, ".claude-plugin/plugin.json", (body) => inert(body, here));
  const instructions = givenInstructions(here);
  return [
    ...(plugin === undefined ? [] : ["--plugin-dir", plugin]),
    ...(instructions === undefined ? [] : ["--add-dir", instructions]),
  ];
}

/** The instructions as the CLAUDE.md of another private folder. */
function givenInstructions(parts: Parts & ReadingRights): string | undefined {
  const texts = parts.given?.instructions ?? [];
  if (texts.length === 0) return undefined;
  const folder = join(parts.folder, "given-instructions");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "CLAUDE.md"), texts.map((text) => headed(text, parts)).join("\n\n"), { mode: 0o600 });
  return folder;
}

function headed({ path, text, isOwn }: GivenInstructions, parts: Parts & ReadingRights): string {
  const whose = isOwn ? "user's private global instructions for all projects" : "project instructions";
  return `Contents of ${path} (${whose}):\n\n${inert(text, parts)}`;
}

/**
 * A text of which Claude Code runs nothing and reads no file that the policy denies. It runs commands marked with `!` and
 * reads files marked with `@` without asking any hook (2.1.325). So a command becomes a request to the model, whose call is
 * judged, and an `@` before a path that must not be read is parted from it.
 */
function inert(body: string, parts: ReadingRights & { readonly cwd: string }): string {
  const asked = body
    .replaceAll(/!`([^`\n]+)`/g, "`$1` (run this command and use its output here)")
    .replaceAll(/(`{3,}|~{3,})!/g, "$1 (run this and use its output here)\n")
    // Whatever else a reader could take for such a mark.
    .replaceAll(/!(?=[`~])/g, "! ")
    .replaceAll(/([`~])!/g, "$1 !");
  const names = possibleImports(asked);
  if (names !== undefined && [...names].every((name) => mayImport(name, parts))) return asked;
  return asked.replaceAll(/@(?=\S)/g, "@ ");
}

function mayImport(name: string, parts: ReadingRights & { readonly cwd: string }): boolean {
  const path = targetOf(name.replaceAll(/^["']|["']$/g, ""), parts.cwd);
  if (!isInside(resolve(path), parts.workspace)) return false;
  const file = readInstruction(path, 1, parts);
  return file === undefined ? parts.mayRead(path) : !("problem" in file);
}
