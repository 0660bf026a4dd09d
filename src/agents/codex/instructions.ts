import { join } from "node:path";
import { foldersDown } from "../install/walk-folders.ts";
import { type LeftOut, type ReadingParts, readInstruction } from "../install/instruction-file.ts";

interface Place extends ReadingParts {
  readonly cwd: string;
}

interface CodexInstructions {
  /** The text for the model; undefined when the repository has none. */
  readonly text: string | undefined;
  readonly leftOut: readonly LeftOut[];
}

const DEFAULT_MAX_BYTES = 32 * 1024;

/** A repository's instructions as Codex joins them for a trusted folder: one file per folder, from the top down. */
export function codexInstructions(settings: Readonly<Record<string, unknown>>, place: Place): CodexInstructions {
  const names = ["AGENTS.override.md", "AGENTS.md", ...fallbackNames(settings)];
  const leftOut: LeftOut[] = [];
  const texts: string[] = [];
  const most = maxBytes(settings);
  let left = most;
  for (const folder of most === 0 ? [] : foldersDown(place.cwd, place.workspace)) {
    const found = firstFile(
      names.map((name) => join(folder, name)),
      { place, most: left },
    );
    if (found === undefined) continue;
    const { path, file } = found;
    if ("problem" in file) leftOut.push({ path, because: file.problem });
    else {
      if (file.cut) leftOut.push({ path, because: `cut: project_doc_max_bytes is ${most}` });
      if (file.text.trim() === "") continue;
      texts.push(file.text);
      left -= file.bytes;
    }
  }
  if (texts.length === 0) return { text: undefined, leftOut };
  // Codex frames the text in the same way.
  const text = `# AGENTS.md instructions for ${place.cwd}\n\n<INSTRUCTIONS>\n${texts.join("\n\n")}\n</INSTRUCTIONS>`;
  return { text, leftOut };
}

function firstFile(paths: readonly string[], { place, most }: { readonly place: Place; readonly most: number }) {
  for (const path of paths) {
    const file = readInstruction(path, most, place);
    if (file !== undefined) return { path, file };
  }
  return undefined;
}

function fallbackNames({ project_doc_fallback_filenames: names }: Readonly<Record<string, unknown>>) {
  return Array.isArray(names) ? names.filter((name) => typeof name === "string" && name.trim() !== "") : [];
}

/** No model reads more than this, whatever the settings say. */
const MAX_BYTES = 1024 * 1024;

function maxBytes({ project_doc_max_bytes: most }: Readonly<Record<string, unknown>>): number {
  const given = typeof most === "bigint" ? Number(most) : most;
  return typeof given === "number" && given >= 0 ? Math.min(given, MAX_BYTES) : DEFAULT_MAX_BYTES;
}
