import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, relative } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { FLOORS, isWriteDenied } from "../../guard/access/judge-access.ts";
import { isWild } from "../../lib/path/glob.ts";
import { isInside, PRIVATE_FOLDERS } from "../../lib/path/inside.ts";
import { lexicalPath } from "../../lib/path/real-path.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";

/** One change to the commands' view of the disk. Later mounts cover earlier ones. */
export interface Mount {
  /**
   * `empty-folder` and `empty-file` hide the original and stay empty; `scratch-folder` is writable and discarded
   * afterwards.
   */
  readonly kind: "writable" | "read-only" | "scratch-folder" | "empty-folder" | "empty-file";
  readonly path: string;
}

/** Those in which no folder of the machine is opened either. People do work below the temporary folders. */
const SYSTEM_FOLDERS = ["/dev", "/run", "/proc"];

/** The existing folders that the policy lets commands write, with their links resolved. */
export function writableRoots(policy: Policy): readonly string[] {
  const { home, workspaceRoot } = policy;
  const wanted = policy.paths.writeRoots
    .map((root) => lexicalPath(root === "~" || root.startsWith("~/") ? home + root.slice(1) : root, workspaceRoot))
    .filter((root) => !PRIVATE_FOLDERS.includes(root) && !SYSTEM_FOLDERS.some((folder) => isInside(root, folder)))
    .filter((root) => existsSync(root))
    .map((root) => realpathSync(root))
    .filter((root) => !isWriteDenied(root, policy));
  return [...new Set(wanted)].toSorted();
}

/** Throws a UserError for a folder that is so wide that a sandbox in which it is writable would protect nothing. */
export function refuseWide(folder: string, home: string): void {
  const holdsHome = folder !== home && isInside(home, folder);
  if (folder !== "/" && !holdsHome && !PRIVATE_FOLDERS.includes(folder)) return;
  throw new UserError(`a sandbox with ${folder} writable would protect nothing`, {
    where: "paths.write_roots of the policy, or the folder that you started in",
    fix: "work in a project folder, and list narrow write roots",
    exitCode: EXIT.refused,
  });
}

/** The user's secrets that exist: those of the floors, and of `denyRead` those with a fixed name. */
export function secretMounts(home: string, denyRead: readonly string[]): readonly Mount[] {
  return [...FLOORS.denyRead, ...denyRead]
    .filter((glob) => !glob.startsWith("!"))
    .map((glob) => glob.replace(/\/\*\*$/, "").replace(/^~\//, `${home}/`))
    .filter((path) => isAbsolute(path) && !isWild(path) && !["/dev", "/proc"].some((folder) => isInside(path, folder)))
    .flatMap((path): readonly Mount[] => {
      if (!existsSync(path)) return [];
      const real = realpathSync(path);
      return [{ kind: statSync(real).isDirectory() ? "empty-folder" : "empty-file", path: real }];
    });
}

/**
 * Folders of a home that hold programs and their parts, and no credentials. Where a tool keeps both in one folder, only
 * the harmless parts are listed (`.cargo` has `credentials.toml`).
 */
const TOOL_FOLDERS: readonly string[] = [
  ".asdf",
  ".bun/bin",
  ".cabal/bin",
  ".cargo/bin",
  ".cargo/config.toml",
  ".cargo/env",
  ".deno/bin",
  ".dotnet",
  ".fnm",
  ".ghcup",
  ".goenv",
  ".jbang/bin",
  ".jenv",
  ".juliaup",
  ".linuxbrew",
  ".local/bin",
  ".local/lib",
  ".local/pipx",
  ".local/share/fnm",
  ".local/share/mise",
  ".local/share/pipx",
  ".local/share/pnpm",
  ".local/share/rtx",
  ".local/share/uv",
  ".local/share/virtualenvs",
  ".nix-profile",
  ".nodenv",
  ".npm-global",
  ".npm-packages",
  ".nvm",
  ".opam",
  ".pnpm",
  ".poetry/bin",
  ".pub-cache/bin",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".rvm",
  ".rye",
  ".sdkman",
  ".swiftly",
  ".volta",
  "anaconda3",
  "bin",
  "go/bin",
  "miniconda3",
  "miniforge3",
  "sdk",
];

/** Of a home's tool folders those that exist, together with the folders on PATH that are in the home. */
export function toolFolders(home: string, path: string): readonly string[] {
  const onPath = path.split(delimiter).filter((folder) => isAbsolute(folder) && folder !== home);
  const inHome = [
    ...TOOL_FOLDERS.map((name) => join(home, name)),
    ...onPath.filter((folder) => isInside(folder, home)),
  ];
  const present = [...new Set(inHome)].filter((folder) => existsSync(folder) && !holdsToken(folder)).toSorted();
  return present.filter((folder) => !present.some((other) => other !== folder && isInside(folder, other)));
}

/** Cargo's settings may have a token among them. */
function holdsToken(path: string): boolean {
  if (!path.endsWith(".toml")) return false;
  try {
    return /token/i.test(readFileSync(path, "utf8"));
  } catch {
    return true;
  }
}

/**
 * The outermost folders between the home and these roots. In the private home nothing is in them but the way to the
 * roots, so a file written there (`../notes.txt`) would disappear without a word. Folders in which tools keep their
 * own files (`~/.cache`, `~/go`) are left out.
 */
export function betweenFolders(home: string, roots: readonly string[], shown: readonly string[]): readonly string[] {
  const found = roots
    .filter((root) => root !== home && isInside(root, home))
    .flatMap((root) => {
      const folders = relative(home, root).split("/").slice(0, -1);
      const first = outermost(folders);
      return first === 0 || first > folders.length ? [] : [join(home, ...folders.slice(0, first))];
    });
  const open = found.filter((folder) => ![...roots, ...shown].some((root) => isInside(folder, root)));
  return [...new Set(open)].filter((folder) => !open.some((other) => other !== folder && isInside(folder, other)));
}

/** How many of the folders' names lead to the first one that belongs to the user alone. */
function outermost([first = "", ...rest]: readonly string[]): number {
  if (first === "") return 0;
  if (first.startsWith(".")) return rest.length === 0 ? 0 : rest.length + 1;
  return first === "go" ? 2 : 1;
}

const STRICTNESS = { writable: 0, "scratch-folder": 0, "read-only": 1, "empty-folder": 2, "empty-file": 2 } as const;

/** Parents before children, keeping the strictest mount per path. A child never reopens what a parent closes. */
export function withoutLoss(mounts: readonly Mount[]): readonly Mount[] {
  const sorted = mounts.toSorted(
    (one, other) =>
      (one.path < other.path ? -1 : one.path > other.path ? 1 : 0) || STRICTNESS[other.kind] - STRICTNESS[one.kind],
  );
  const result: Mount[] = [];
  for (const mount of sorted) {
    const above = result.filter(({ path }) => isInside(mount.path, path));
    if (above.some(({ path, kind }) => path === mount.path || STRICTNESS[kind] === 2)) continue;
    result.push(mount);
  }
  return result;
}
