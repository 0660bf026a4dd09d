import { appendFileSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GitCall, gitNames, runGit } from "../lib/run-git.ts";
import type { Shadow } from "./shadow.ts";

/** Overrides every attribute file in the work tree, so that an agent cannot change how content is read. */
const EXACT = "* -text -ident -filter !eol !working-tree-encoding\n";

/**
 * Makes a new shadow hold the bytes on disk, whatever the repository's settings and attributes say. Files that git
 * stores in another form (git-lfs, git-crypt, CRLF) are read again by the next snapshot. No filter is run.
 */
export async function makeExact(shadow: Shadow): Promise<void> {
  const { folder } = shadow;
  if (await mayConvert(shadow)) await forgetConverted(shadow);
  mkdirSync(join(folder, "info"), { recursive: true });
  writeFileSync(join(folder, "info/attributes"), EXACT);
  appendFileSync(join(folder, "config"), "[core]\n\tautocrlf = false\n\teol = lf\n");
}

async function mayConvert({ call, repository }: Shadow): Promise<boolean> {
  if (repository === undefined) return false;
  if (repository.convertsContent) return true;
  return (await gitNames(["ls-files", "-z", "--", ":(top,glob)**/.gitattributes"], call)).length > 0;
}

const ATTRIBUTES = ["filter", "working-tree-encoding", "ident", "eol", "text"];

/** Makes the index forget that these files are unchanged. */
async function forgetConverted({ call, repository }: Shadow): Promise<void> {
  const entries = await gitNames(["ls-files", "--stage", "-z"], call);
  const byName = new Map(entries.map((entry) => [entry.slice(entry.indexOf("\t") + 1), entry]));
  const input = [...byName.keys()].map((name) => `${name}\0`).join("");
  const { stdout } = await runGit(["check-attr", "-z", "--stdin", ...ATTRIBUTES], { ...call, input });
  const fields = stdout.toString("utf8").split("\0");
  const usesCrlf = repository?.settings.some((setting) => /^core\.(?:autocrlf=true|eol=crlf)$/i.test(setting)) === true;
  const isInput = repository?.settings.some((setting) => /^core\.autocrlf=input$/i.test(setting)) === true;
  const converted = new Set<string>();
  const texts = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = "", attribute = "", value = ""] = fields.slice(at, at + 3);
    if (usesCrlf || isConverting(attribute, value)) converted.add(name);
    else if (isInput || isText(attribute, value)) texts.add(name);
  }
  for (const name of await ofOtherSize([...texts], byName, call)) converted.add(name);
  if (converted.size === 0) return;
  const lines = [...converted].map((name) => `${byName.get(name) ?? ""}\0`).join("");
  await runGit(["update-index", "-z", "--index-info"], { ...call, input: lines });
}

function isConverting(attribute: string, value: string): boolean {
  if (value === "unspecified" || value === "unset" || attribute === "text") return false;
  return attribute !== "eol" || value === "crlf";
}

/** Plain text is stored as it is unless lines end in CRLF on disk. */
const isText = (attribute: string, value: string) =>
  (attribute === "text" || attribute === "eol") && value !== "unspecified" && value !== "unset";

/** The files that are longer or shorter on disk than in git. Their content need not be read. */
async function ofOtherSize(names: readonly string[], byName: ReadonlyMap<string, string>, call: GitCall) {
  if (names.length === 0) return [];
  const input = names.map((name) => `${(byName.get(name) ?? "").split(" ")[1] ?? ""}\n`).join("");
  const { stdout } = await runGit(["cat-file", "--batch-check=%(objectsize)"], { ...call, input });
  const sizes = stdout.toString("utf8").split("\n");
  const top = call.env?.["GIT_WORK_TREE"] ?? call.cwd;
  return names.filter((name, at) => {
    const stat = lstatSync(join(top, name), { throwIfNoEntry: false });
    return stat?.isFile() === true && String(stat.size) !== sizes[at];
  });
}
