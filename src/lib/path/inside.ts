import { existsSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";

/** Whether `path` is `folder` or inside it. Both must be absolute and normalized; the disk is not read. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Those that are inside no other one. */
export const outermostOf = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isInside(path, other)));

/**
 * PATH without relative folders and folders that a model may write to, where a planted `git` would run instead of the
 * real one.
 */
export function safePath(env: Readonly<Record<string, string | undefined>>, ...workspaces: readonly string[]): string {
  const roots = workspaces.flatMap((workspace) => [workspace, realPath(workspace) ?? workspace]);
  const kept = (env["PATH"] ?? "").split(delimiter).filter((folder) => {
    // A folder that does not exist now could be created later by anyone who may write there.
    const real = isAbsolute(folder) ? realPath(folder) : undefined;
    return real !== undefined && !roots.some((root) => isInside(folder, root) || isInside(real, root));
  });
  return kept.length === 0 ? "/usr/local/bin:/usr/bin:/bin" : kept.join(delimiter);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const SYSTEM = /^\/(?:etc|usr|bin|sbin|lib|lib64|boot|dev|proc|sys|run)(?:\/|$)/;

/**
 * Why a folder cannot be a workspace, or undefined. Read and write permissions are relative to the workspace,
 * so an agent in `/` would get them for everything.
 */
export function unsafeWorkspace(root: string, home: string): string | undefined {
  const holdsHome = root === "/" || isInside(home, root);
  if (!SYSTEM.test(root) && (!holdsHome || (root !== "/" && existsSync(join(root, ".git"))))) return undefined;
  return `${root} is not a workspace: start the agent in a project folder`;
}

/** Folders of which a sandbox has its own: what commands write there stays inside. */
export const PRIVATE_FOLDERS: readonly string[] = ["/tmp", "/var/tmp", "/dev", "/run", "/proc"];

/** The longest socket path that macOS accepts; Linux accepts four bytes more. */
const MAX_SOCKET_PATH = 103;

/** Whether a unix socket can have this path. */
export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= MAX_SOCKET_PATH;
