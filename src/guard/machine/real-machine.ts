import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { errorCode } from "../../lib/error-code.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { gitAltered, gitChanges, gitTracked } from "./git-changes.ts";
import { gitLinks } from "./git-links.ts";
import { mountPoints } from "./mount-points.ts";
import type { PathKind, Machine } from "../../contract/machine.ts";

const MAX_TEXT = 65_536;

/** The real machine. Host names are not resolved; whoever opens the connection checks the addresses again. */
export const realMachine: Machine = {
  readLink: (path) => {
    try {
      return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
    } catch (error) {
      // A path below a file cannot exist, so it is not a link either.
      if (errorCode(error) === "ENOTDIR") return undefined;
      throw error;
    }
  },
  addresses: () => undefined,
  now: () => Date.now(),
  kind: (path) => {
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat === undefined ? undefined : kindOf(stat);
    } catch {
      // The folder cannot be searched, so opening the path will fail as well.
      return undefined;
    }
  },
  readText: (path) => {
    try {
      return readBounded(path, MAX_TEXT).bytes.toString("utf8");
    } catch {
      return undefined;
    }
  },
  gitChanges,
  gitTracked,
  gitAltered,
  gitLinks,
  mounts: mountPoints,
};

function kindOf(stat: Stats): PathKind {
  if (stat.isSymbolicLink()) return "link";
  if (stat.isDirectory()) return "folder";
  return stat.isFile() ? "file" : "special";
}
