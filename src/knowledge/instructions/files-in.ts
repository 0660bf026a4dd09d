import { join } from "node:path";
import { listNames } from "../texts/list-names.ts";

const MAX_FILES = 200;
const MAX_FOLDERS = 500;

interface FoundFiles {
  readonly files: readonly string[];
  readonly problems: readonly { readonly path: string; readonly why: string }[];
}

/** The wanted files below a folder, in order of path. Links to folders are not followed, so there are no loops. */
export function filesIn(
  top: string,
  isWanted: (name: string) => boolean,
  skips: (name: string) => boolean = () => false,
): FoundFiles {
  const files: string[] = [];
  const problems: { path: string; why: string }[] = [];
  const folders = [top];
  for (const folder of folders) {
    const { names, isWhole } = listNames(folder);
    if (!isWhole) problems.push({ path: folder, why: `only its first ${names.length} entries were read` });
    for (const { name, kind } of names) {
      const path = join(folder, name);
      if (kind !== "folder" && isWanted(name)) files.push(path);
      if (kind === "folder" && !skips(name)) folders.push(path);
    }
    if (files.length > MAX_FILES || folders.length > MAX_FOLDERS) {
      problems.push({ path: top, why: `only ${MAX_FILES} files in ${MAX_FOLDERS} folders are read` });
      break;
    }
  }
  return { files: files.slice(0, MAX_FILES).toSorted(), problems };
}
