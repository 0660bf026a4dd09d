import { FILE_PROGRAMS } from "./files.ts";
import { gitProgram } from "./git-program.ts";
import type { KnownProgram, ProgramTable } from "./known-program.ts";
import { SYSTEM_PROGRAMS } from "./system.ts";
import { TEXT_PROGRAMS } from "./text.ts";
import { toolProgram } from "./tool-program.ts";

const TABLES: readonly ProgramTable[] = [SYSTEM_PROGRAMS, FILE_PROGRAMS, TEXT_PROGRAMS];
const PROGRAMS = new Map(TABLES.flatMap((table) => Object.entries(table)));

const SAME: Readonly<Record<string, string>> = {
  egrep: "grep",
  fgrep: "grep",
  zgrep: "grep",
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  gsed: "sed",
  gtar: "tar",
  bsdtar: "tar",
  ripgrep: "rg",
  fdfind: "fd",
  py: "python",
  "python3.9": "python3",
  "python3.10": "python3",
  "python3.11": "python3",
  "python3.12": "python3",
  "python3.13": "python3",
  pip3: "pip",
  nodejs: "node",
  gmake: "make",
  gradlew: "gradle",
  mvnw: "mvn",
  tofu: "terraform",
  batcat: "cat",
  bat: "cat",
  "py.test": "pytest",
};

/** The most specific entry: `git log` before `git`. `depth` is the number of words in its name. */
export function knownProgram(
  argv: readonly string[],
): { readonly program: KnownProgram; readonly name: string; readonly depth: number } | undefined {
  const first = SAME[argv[0] ?? ""] ?? argv[0] ?? "";
  const pair = `${first} ${argv[1] ?? ""}`;
  if (first === "git") {
    const program = gitProgram(pair);
    return program === undefined ? undefined : { program, name: pair, depth: 2 };
  }
  const here = PROGRAMS.get(first);
  const particular = here === undefined ? toolProgram(pair) : undefined;
  if (particular !== undefined) return { program: particular, name: pair, depth: 2 };
  const program = here ?? toolProgram(first);
  return program === undefined ? undefined : { program, name: first, depth: 1 };
}
