import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { TrustedFiles } from "../../contract/agent-hooks.ts";
import { isInside } from "../../lib/inside.ts";
import { isRecord } from "../../lib/is-record.ts";
import { sha256 } from "../../lib/sha256.ts";
import { textOf } from "../install/read-settings.ts";
import { claudeFiles } from "./settings.ts";

/** A file that was added or changed since: Claude Code reloads its settings whenever they change. */
export function changedSince({ folders, files }: TrustedFiles): string | undefined {
  const now = claudeFiles(folders);
  if (now.unfit.length > 0) return now.unfit[0];
  return now.files.find((path) => {
    const text = textOf(path);
    return text === undefined || !files.some((file) => file.path === path && file.hash === sha256(text));
  });
}

/** A nested `.claude` folder next to a file that the call names: Claude Code loads its skills when it works there. */
export function nestedBeside({ workspace }: TrustedFiles, input: unknown, cwd: string): string | undefined {
  const named = isRecord(input) ? Object.entries(input) : [];
  const paths = named.flatMap(([key, value]) =>
    /path$/i.test(key) && typeof value === "string" ? [resolve(cwd, value)] : [],
  );
  // By its name and by its real path: a link may bypass either.
  const folders = paths.flatMap((path) => [...foldersOf(path, workspace), ...foldersOf(realPlace(path), workspace)]);
  return folders.map((folder) => join(folder, ".claude")).find((place) => existsSync(place));
}

function foldersOf(path: string, workspace: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path; folder !== workspace && isInside(folder, workspace); folder = dirname(folder))
    folders.push(folder);
  return folders;
}

/** The real path of a file that may not exist yet: that of the nearest folder that does. */
function realPlace(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    if (existsSync(at)) return realpathSync(at);
    if (at === dirname(at)) return path;
  }
}
