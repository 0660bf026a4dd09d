import type { Receipt } from "../../contract/receipt.ts";

/** A file that a run changed. Lines are unknown where the receipt has no diff, and for binary files. */
export interface ChangedFile {
  /** `A` added, `D` deleted, `M` modified, `R` renamed, `T` type changed, `?` could not be read. */
  readonly letter: string;
  readonly path: string;
  readonly lines?: { readonly added: number; readonly removed: number };
}

/** The files that a run changed, from the diff and the status in its receipt; undefined when it has neither. */
export function changedFiles(verification: Receipt["verification"]): readonly ChangedFile[] | undefined {
  const { git_diff: diff, git_status: status } = verification;
  if (diff === null && status === null) return undefined;
  const lines = (status ?? "").split("\n").flatMap((line) => {
    const [, letter, path] = /^([\w?]) {2}(.+)$/.exec(line) ?? [];
    return letter === undefined || path === undefined ? [] : { letter, path };
  });
  const named = lines.filter(({ letter }) => letter !== "?");
  const unreadable = lines.filter(({ letter }) => letter === "?");
  const sections = (diff ?? "").split(/^(?=diff --git )/m).filter((text) => text.startsWith("diff --git "));
  const counted = sections.map(readSection);
  // Both are in the order of git, and names in the status are not quoted.
  if (named.length !== counted.length) return [...(counted.length === 0 ? named : counted), ...unreadable];
  return [...counted.map((file, at) => ({ ...file, ...named[at] })), ...unreadable];
}

function readSection(section: string): ChangedFile {
  const lines = section.split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@ ") || line === "GIT binary patch");
  const head = start === -1 ? lines : lines.slice(0, start);
  const after = (word: string) => head.find((line) => line.startsWith(word))?.slice(word.length);
  const path =
    after("rename to ") ?? after("+++ b/") ?? after("--- a/") ?? / b\/(.*)$/.exec(lines[0] ?? "")?.[1] ?? "?";
  const letter = head.some((line) => line.startsWith("new file"))
    ? "A"
    : head.some((line) => line.startsWith("deleted file"))
      ? "D"
      : after("rename to ") === undefined
        ? "M"
        : "R";
  if (lines[start] === "GIT binary patch") return { letter, path };
  const body = start === -1 ? [] : lines.slice(start);
  const count = (sign: string) => body.filter((line) => line.startsWith(sign)).length;
  return { letter, path, lines: { added: count("+"), removed: count("-") } };
}

/** What is known of the lines of one file. */
export const fileDetail = (file: ChangedFile): string =>
  file.letter === "?" ? "cannot be read, so its changes are unknown" : lineCounts([file]);

/** `+3 -1` of several files; empty where no lines are known. */
export function lineCounts(files: readonly ChangedFile[]): string {
  const known = files.flatMap(({ lines }) => (lines === undefined ? [] : lines));
  const sum = (side: "added" | "removed") => known.reduce((total, lines) => total + lines[side], 0);
  return known.length === 0 ? "" : `+${sum("added")} -${sum("removed")}`;
}
