import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";

const MAX_LINKS = 32;

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
      if (links.length > MAX_LINKS) return [...links, realpathSync(path)];
      if (isAbsolute(target)) at = sep;
      rest = [...target.split(sep), ...after];
    }
  }
  return [...links, at];
}

const linkTarget = (path: string) => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined);
