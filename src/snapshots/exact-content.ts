import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gitLine, gitNames, runGit } from "../lib/run-git.ts";
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

const ATTRIBUTES = ["filter", "working-tree-encoding", "ident", "eol"];

/** Makes the index forget that these files are unchanged. */
async function forgetConverted({ call, repository }: Shadow): Promise<void> {
  const entries = await gitNames(["ls-files", "--stage", "-z"], call);
  const byName = new Map(entries.map((entry) => [entry.slice(entry.indexOf("\t") + 1), entry]));
  const input = [...byName.keys()].map((name) => `${name}\0`).join("");
  const { stdout } = await runGit(["check-attr", "-z", "--stdin", ...ATTRIBUTES], { ...call, input });
  const fields = stdout.toString("utf8").split("\0");
  const usesCrlf = repository?.settings.some((setting) => /^core\.(?:autocrlf=true|eol=crlf)$/i.test(setting)) === true;
  const converted = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = "", attribute = "", value = ""] = fields.slice(at, at + 3);
    if (usesCrlf || isConverting(attribute, value)) converted.add(name);
  }
  for (const name of await otherSizes(call)) converted.add(name);
  if (converted.size === 0) return;
  const lines = [...converted].map((name) => `${byName.get(name) ?? ""}\0`).join("");
  await runGit(["update-index", "-z", "--index-info"], { ...call, input: lines });
}

const SIZED = /\d{6} ([0-9a-f]+) 0\t([^\0]*)\0(?:  .*\n)*?  size: (\d+)\t.*\n/g;

/** Files that are longer or shorter on disk than in git, such as text with CRLF that git stores with LF. */
async function otherSizes(call: Shadow["call"]): Promise<readonly string[]> {
  const { stdout } = await runGit(["ls-files", "--stage", "--debug", "-z"], call);
  const entries = [...stdout.toString("utf8").matchAll(SIZED)];
  const input = entries.map(([, oid = ""]) => `${oid}\n`).join("");
  const sizes = (await gitLine(["cat-file", "--batch-check=%(objectsize)"], { ...call, input })).split("\n");
  return entries.flatMap(([, , name = "", size], at) =>
    /^\d+$/.test(sizes[at] ?? "") && sizes[at] !== size ? name : [],
  );
}

/** Other text is told by its size. */
function isConverting(attribute: string, value: string): boolean {
  if (value === "unspecified" || value === "unset") return false;
  return attribute !== "eol" || value === "crlf";
}
