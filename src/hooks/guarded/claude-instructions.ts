import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ArmParts } from "./arm.ts";
import { expandImports, type InstructionPart } from "./expand-imports.ts";
import { foldersDown } from "./folders-down.ts";
import { readInstruction } from "./instruction-file.ts";
import { leftOutLine } from "./left-out.ts";

type Parts = Pick<ArmParts, "cwd" | "workspace" | "folder" | "mayRead" | "warn">;

const LOCAL = "CLAUDE.local.md";
/** Beside any of these, Claude Code reads no AGENTS.md. */
const PREFERRED = ["CLAUDE.md", ".claude/CLAUDE.md", LOCAL];

/**
 * Flags that give Claude Code what it reads by itself only together with a repository's settings: CLAUDE.local.md, and
 * AGENTS.md where there is no CLAUDE.md. It reads them as the CLAUDE.md of a private folder: so sub-agents get them too,
 * a resumed session gets them as they are now, and no `--append-system-prompt` of the person's is replaced.
 */
export function instructionFlags(parts: Parts): readonly string[] {
  const folders = foldersDown(parts.cwd, parts.workspace);
  const hasText = (path: string) => {
    const file = readInstruction(path, 1024, parts);
    return file !== undefined && ("problem" in file || file.text.trim() !== "");
  };
  const isPreferred = folders.some((folder) => PREFERRED.some((name) => hasText(join(folder, name))));
  const name = isPreferred ? LOCAL : "AGENTS.md";
  const { parts: texts, leftOut } = expandImports(
    folders.map((folder) => join(folder, name)),
    parts,
  );
  const line = leftOutLine("Claude Code", leftOut, parts.workspace);
  if (line !== undefined) parts.warn(line);
  if (texts.length === 0) return [];
  const folder = join(parts.folder, "claude-instructions");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "CLAUDE.md"), texts.map(headed).join("\n\n"), { mode: 0o600 });
  return ["--add-dir", folder];
}

/** The words with which Claude Code itself introduces such a file. */
function headed({ path, text }: InstructionPart): string {
  const whose =
    basename(path) === LOCAL
      ? "user's private project instructions, not checked in"
      : "project instructions, checked into the codebase";
  return `Contents of ${path} (${whose}):\n\n${text.trimEnd()}`;
}
