import { opendirSync } from "node:fs";

/** The most entries of one folder that are looked at. */
const MAX_ENTRIES = 2000;

interface ListedName {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** The entries of a folder in order of name, none when it cannot be read. Huge folders are listed in part. */
export function listNames(folder: string): { readonly names: readonly ListedName[]; readonly isWhole: boolean } {
  const names: ListedName[] = [];
  try {
    using open = opendirSync(folder);
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      if (names.length === MAX_ENTRIES) return { names: sorted(names), isWhole: false };
      const kind = entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : entry.isFile() ? "file" : "other";
      names.push({ name: entry.name, kind });
    }
  } catch {
    // Nothing there, or nothing that may be read.
  }
  return { names: sorted(names), isWhole: true };
}

const sorted = (names: readonly ListedName[]) =>
  names.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
