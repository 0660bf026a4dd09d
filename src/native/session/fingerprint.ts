import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  readSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gitTop } from "../../lib/path/workspace.ts";
import { headCommit, runGit } from "../../lib/process/run-git.ts";
import { openShadow } from "../../snapshots/shadow.ts";

const MAX_MS = 30_000;

/** At most this much of the changed files is read. Beyond that, the modification time is used instead. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The minimum cost of a file, so that we don't open very many small ones either. */
const PAGE = 4096;

/** Ignores changes inside submodules: to see them, git would run with the submodule's own settings. */
const STATUS = "status --porcelain=v1 -z --untracked-files=all --no-renames --ignore-submodules=dirty".split(" ");

/**
 * A string that changes when the work tree does: its commit, git's list of changes, and the content of those files.
 * Undefined without git. Git runs with our settings, so that the repository's settings cannot start a program; its own folder is made in `privateFolder`, where no command can write.
 */
export async function fingerprint(
  workspace: string,
  privateFolder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (gitTop(workspace) === undefined) return undefined;
  const folder = mkdtempSync(join(privateFolder, "look-"));
  try {
    return await look(workspace, join(folder, "git"), AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]));
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function look(workspace: string, folder: string, signal: AbortSignal): Promise<string | undefined> {
  const { call, repository } = await openShadow(workspace, folder);
  if (repository === undefined) return undefined;
  const head = await headCommit({ cwd: workspace, signal });
  if (head !== undefined) writeFileSync(join(folder, "HEAD"), `${head}\n`);
  const status = (await runGit(STATUS, { ...call, signal })).stdout.toString("utf8");
  const hash = createHash("sha256")
    .update(`${head ?? "no commit"}\n`)
    .update(status);
  let budget = MAX_BYTES;
  for (const entry of status.split("\0").filter((text) => text !== "")) {
    const path = join(repository.top, entry.slice(3));
    const stat = lstatSync(path, { throwIfNoEntry: false });
    hash.update(`${stat?.size ?? -1} ${stat?.mode ?? 0} `);
    if (stat === undefined) continue;
    const content = stat.size <= budget ? contentOf(path, stat) : undefined;
    if (content !== undefined) budget -= Math.max(content.length, PAGE);
    hash.update(content ?? `${stat.mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Undefined if the file cannot be read right away: a pipe, no permission, or just removed by a command. */
function contentOf(path: string, stat: Stats): Buffer | undefined {
  try {
    if (stat.isSymbolicLink()) return Buffer.from(readlinkSync(path));
    return stat.isFile() ? readStart(path, stat.size) : undefined;
  } catch {
    return undefined;
  }
}

function readStart(path: string, size: number): Buffer {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}
