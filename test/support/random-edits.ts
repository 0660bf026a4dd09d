import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Dice } from "./random-session.ts";

/** Every file and link below a folder with its content and permissions, without `.git` and what is ignored. */
export function treeState(root: string, isLeftOut: (path: string) => boolean = () => false): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.name === ".git" || isLeftOut(path)) continue;
      if (entry.isDirectory()) walk(path);
      else found[path] = described(join(root, path));
    }
  };
  walk("");
  return Object.fromEntries(Object.entries(found).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function described(file: string): string {
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) return `link ${readlinkSync(file)}`;
  const mode = (stat.mode & 0o7777).toString(8);
  return stat.isFile() ? `${mode} ${readFileSync(file, "latin1")}` : "special";
}

const NAMES = ["a.txt", "b.bin", "run.sh", "new\nline", "ünï", " space ", "-dash", "x.log", "deep"] as const;

/** Changes something in the folder, as an agent or a person would. */
export function randomEdit(root: string, die: Dice): void {
  const files = namesBelow(root, "file");
  const folders = namesBelow(root, "folder");
  const place = () => join(root, die.pick("", ...folders), die.pick(...NAMES));
  const known = () => join(root, die.pick("a.txt", ...files));
  const content = () => Buffer.from(Array.from({ length: die.below(200) }, () => die.below(256)));
  const edits = [
    () => write(place(), content()),
    () => write(join(dirname(place()), `folder${die.below(3)}`, die.pick(...NAMES)), content()),
    () => write(known(), content()),
    () => appendFileSync(known(), "more\r\n"),
    () => rmSync(known(), { force: true }),
    () => rmSync(join(root, die.pick("nothing", ...folders)), { recursive: true, force: true }),
    () => renameSync(known(), place()),
    () => renameSync(join(root, die.pick("nothing", ...folders)), join(root, `moved${die.below(3)}`)),
    () => {
      const [path, mode] = [known(), die.pick(0o600, 0o644, 0o755, 0o700, 0o640, 0o444)];
      // A folder behind a link could not be entered any more.
      if (lstatSync(path).isFile()) chmodSync(path, mode);
    },
    () => symlinkSync(die.pick("a.txt", "../no/such/place", "folder0"), place()),
    () => swap(place(), () => symlinkSync("folder1", place())),
    () => {
      const path = join(root, die.pick("nothing", ...folders));
      swap(path, () => symlinkSync(die.pick("a.txt", "/proc/no/such/place"), path));
    },
    () => {
      const path = known();
      swap(path, () => write(join(path, "inside.txt"), content()));
    },
  ] as const;
  try {
    edits[die.below(edits.length)]?.();
  } catch {
    // Some edits make no sense in some trees.
  }
}

function write(path: string, content: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function swap(path: string, put: () => void): void {
  rmSync(path, { recursive: true, force: true });
  put();
}

function namesBelow(root: string, kind: "file" | "folder"): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      // What git ignores stays the same here, and a repository is not removed with its objects.
      if ([".git", "mine", ".gitignore"].includes(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory() === (kind === "folder") && path !== "inner") found.push(path);
      if (entry.isDirectory()) walk(path);
    }
  };
  walk("");
  return found;
}
