import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";

/** An absolute path without `.`, `..` and doubled separators, computed from the text alone. */
export function lexicalPath(path: string, cwd: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${cwd}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** The target of the link at an absolute path, or undefined when it is not a link. */
type ReadLink = (path: string) => string | undefined;

const MAX_LINKS = 40;

/**
 * Where a path really leads: links in every existing part are followed, including dangling ones, and nonexistent parts
 * stay as written. Throws on a loop.
 */
export function realPath(path: string, cwd: string, readLink: ReadLink): string {
  let waiting = (path.startsWith("/") ? path : `${cwd}/${path}`).split("/").reverse();
  const parts: string[] = [];
  let links = 0;
  while (waiting.length > 0) {
    const part = waiting.pop() ?? "";
    if (part === "" || part === ".") continue;
    if (part === "..") {
      parts.pop();
      continue;
    }
    const here = `/${parts.length === 0 ? "" : `${parts.join("/")}/`}${part}`;
    const target = processLink(here, cwd) ?? readLink(here);
    if (target === undefined) {
      parts.push(part);
      continue;
    }
    if (++links > MAX_LINKS) throw new Error(`too many links at ${here}`);
    if (target.startsWith("/")) parts.length = 0;
    waiting = [...waiting, ...target.split("/").reverse()];
  }
  return `/${parts.join("/")}`;
}

/** Names under /proc through which a process reaches its own folder or root. */
function processLink(path: string, cwd: string): string | undefined {
  if (!path.startsWith("/proc/")) return undefined;
  const end = /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/(cwd|root)$/.exec(path)?.[1];
  if (end === undefined) return undefined;
  return end === "cwd" ? cwd : "/";
}

/**
 * True when `path` is `folder` or inside it, comparing the text as is: a `folder` with a trailing `/` contains nothing.
 */
export function isBelow(path: string, folder: string): boolean {
  return folder === "/" || path === folder || (path.startsWith(folder) && path[folder.length] === "/");
}

/** The real path; the path itself where it leads nowhere, or that cannot be told. */
export function realIfThere(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const MAX_HOPS = 32;

/**
 * Every link on the way to an absolute path, including folder links, each by its real location; then the
 * real path. Whoever can change one of them controls what is there. Throws the system's error when nothing is there.
 */
export function linkHops(path: string): readonly string[] {
  const links: string[] = [];
  let at: string = sep;
  for (let rest = path.split(sep); rest.length > 0;) {
    const [name = "", ...after] = rest;
    rest = after;
    const next = join(at, name);
    const target = next === at || name === ".." ? undefined : linkTarget(next);
    if (target === undefined) at = name === ".." ? dirname(at) : next;
    else {
      links.push(next);
      // A link loop; the system reports it.
      if (links.length > MAX_HOPS) return [...links, realpathSync(path)];
      if (isAbsolute(target)) at = sep;
      rest = [...target.split(sep), ...after];
    }
  }
  return [...links, at];
}

const linkTarget = (path: string) => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined);

/** A path or name normalized for comparison: composed, compatibility forms unified, lower case. */
export function fold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : text.normalize("NFKC").toLowerCase();
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}
