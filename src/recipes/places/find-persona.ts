import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isInside } from "../../lib/inside.ts";
import { readBounded } from "../../lib/read-bounded.ts";

const FOLDERS = [".signalbox/agents", ".claude/agents", "amplifier-bundle/agents"];
const HOME_FOLDERS = [".signalbox/agents", ".amplihack/.claude/agents", ".claude/agents"];
const MAX_BYTES = 256 * 1024;

/** `signalbox:name` is one of ours: nothing in a repository can take its place. */
const OURS = "signalbox";

export interface PersonaSearch {
  readonly workspace: string;
  /** The folder with the personas that signalbox brings. */
  readonly bundled: string;
}

/**
 * The instructions of a persona that a recipe names: `name`, `bundle:name` or `bundle:category:name`. Undefined when no
 * file has them. The front matter is for other tools and is left out.
 */
export function findPersona(name: string, { workspace, bundled }: PersonaSearch): string | undefined {
  const parts = name.split(":");
  if (parts.some((part) => !/^[A-Za-z0-9_-]+$/.test(part)) || parts.length > 3) return undefined;
  const last = parts.at(-1) ?? "";
  const paths = [parts.join("/"), parts.slice(1).join("/"), last].filter((path) => path !== "");
  const others = [
    ...FOLDERS.map((folder) => ({ base: join(workspace, folder), isStrange: true })),
    ...HOME_FOLDERS.map((folder) => ({ base: join(homedir(), folder), isStrange: false })),
  ];
  const bases = [...(parts[0] === OURS ? [] : others), { base: bundled, isStrange: false }];
  for (const { base, isStrange } of bases) {
    for (const path of new Set(paths)) {
      const text = textAt(join(base, `${path}.md`), isStrange ? base : undefined);
      if (text !== undefined) return text.replace(/^---\r?\n[^]*?\n---\r?\n/, "").trim();
    }
  }
  return undefined;
}

/** A link in a repository must not bring a file from elsewhere, such as a key, into a prompt. */
function textAt(path: string, folder: string | undefined): string | undefined {
  try {
    if (folder !== undefined && !isInside(realpathSync(path), realpathSync(folder))) return undefined;
    return readBounded(path, MAX_BYTES).bytes.toString("utf8");
  } catch {
    // Not there; the next place is tried.
    return undefined;
  }
}
