import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../lib/inside.ts";
import { messageOf } from "../../lib/message-of.ts";
import { readBounded } from "../../lib/read-bounded.ts";

/** A folder with texts for agents. */
export interface SourcePlace {
  /** The repository, or the user's signalbox folder. */
  readonly root: string;
  /** Where the texts are below it; empty, or ends with `/`. */
  readonly top: string;
  /** True for the user's own folder, whose links may lead anywhere. */
  readonly isOwn?: boolean;
  /** False for a path that the policy keeps from being read. */
  readonly mayRead?: (path: string) => boolean;
  /** Of skills, reads SKILL.md only, and no text that is too long for a launch. */
  readonly onlyTexts?: boolean;
}

export interface SourceFile {
  /** Relative to its skill. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** Reads such a folder. Paths are relative to the root, with `/`. Whatever must not be read is reported. */
export interface SourceFiles {
  readonly top: string;
  readonly names: (folder: string) => readonly string[];
  readonly isFile: (path: string) => boolean;
  readonly isFolder: (path: string) => boolean;
  readonly text: (path: string) => string | undefined;
  readonly below: (folder: string) => readonly SourceFile[];
  readonly report: (path: string, because: string) => void;
}

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_LAUNCH_BYTES = 256 * 1024;
const MAX_FILES = 1000;
const MAX_DEPTH = 8;

export function openPlace(place: SourcePlace, problems: string[]): SourceFiles {
  const { root, top } = place;
  const report = (path: string, because: string) => void problems.push(`${path}: ${because}`);
  const bytes = (path: string) => {
    try {
      return bytesAt(place, path);
    } catch (error) {
      report(path, messageOf(error));
      return undefined;
    }
  };
  return {
    top,
    report,
    names: (folder) => namesIn(join(root, folder)),
    isFile: (path) => lstatSync(join(root, path)).isFile(),
    isFolder: (path) => isFolder(place, path),
    text: (path) => textOf(bytes(path), () => report(path, "it is not UTF-8")),
    below(folder) {
      if (place.onlyTexts === true) {
        const main = bytes(`${folder}/SKILL.md`);
        return main === undefined ? [] : [{ path: "SKILL.md", bytes: main, executable: false }];
      }
      const files = filesBelow(place, folder, "");
      if (files.length > MAX_FILES) report(folder, `it has more than ${MAX_FILES} files`);
      if (files.length > MAX_FILES) return [];
      return files.flatMap(({ path, executable }) => {
        const content = bytes(`${folder}/${path}`);
        return content === undefined ? [] : [{ path, bytes: content, executable }];
      });
    },
  };
}

/** The files of a folder and of its sub-folders, each with the sub-folder it is in. Links to folders are not followed. */
export function entriesIn(
  place: SourceFiles,
  top: string,
  folder = "",
): readonly { readonly folder: string; readonly name: string }[] {
  const at = folder === "" ? top : `${top}/${folder}`;
  if (folder.split("/").length > MAX_DEPTH) {
    place.report(at, `it is more than ${MAX_DEPTH} folders deep`);
    return [];
  }
  const entries = place.names(at).flatMap((name) => {
    const below = folder === "" ? name : `${folder}/${name}`;
    return place.isFolder(`${top}/${below}`) ? entriesIn(place, top, below) : [{ folder, name }];
  });
  if (folder !== "" || entries.length <= MAX_FILES) return entries;
  place.report(top, `it has more than ${MAX_FILES} files; the first ${MAX_FILES} are used`);
  return entries.slice(0, MAX_FILES);
}

/** The user's own folders may be links. */
function isFolder({ root, isOwn }: SourcePlace, path: string): boolean {
  const look = isOwn === true ? statSync : lstatSync;
  return look(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
}

function filesBelow({ root }: SourcePlace, top: string, below: string): { path: string; executable: boolean }[] {
  const files: { path: string; executable: boolean }[] = [];
  const folders = [below];
  for (const folder of folders)
    for (const name of namesIn(join(root, top, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const stat = lstatSync(join(root, top, path));
      if (stat.isDirectory()) folders.push(path);
      else files.push({ path, executable: (stat.mode & 0o100) !== 0 });
      if (files.length > MAX_FILES) return files;
    }
  return files;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .toSorted();
  } catch {
    return [];
  }
}

function bytesAt({ root, isOwn, mayRead, onlyTexts }: SourcePlace, path: string): Buffer | undefined {
  const whole = join(root, path);
  if (lstatSync(whole, { throwIfNoEntry: false }) === undefined) return undefined;
  const real = realpathSync(whole);
  if (isOwn !== true && !isInside(real, realpathSync(root))) throw new Error("it is a link out of the repository");
  if (mayRead !== undefined && (!mayRead(whole) || !mayRead(real))) throw new Error("the policy denies reading it");
  return readBounded(real, onlyTexts === true ? MAX_LAUNCH_BYTES : MAX_BYTES).bytes;
}

function textOf(bytes: Buffer | undefined, report: () => void): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    report();
    return undefined;
  }
}
