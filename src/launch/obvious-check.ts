import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAX_SETTINGS, readBounded } from "../lib/files/read-file.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { sha256 } from "../lib/json/sha256.ts";

/** The check that a project clearly has. Undefined if there is none, or more than one. */
export function obviousCheck(root: string): string | undefined {
  const text = (name: string) => textOf(join(root, name));
  const makefile = ["GNUmakefile", "makefile", "Makefile"].map(text).find((each) => each !== "") ?? "";
  const target = ["check", "test"].find((name) => new RegExp(`^${name}\\s*:(?!=)`, "m").test(makefile));
  const usesPytest =
    ["pytest.ini", "conftest.py"].some((name) => existsSync(join(root, name))) ||
    text("pyproject.toml").includes("[tool.pytest") ||
    text("tox.ini").includes("[pytest]");
  const found = [
    ...(hasTestScript(text("package.json")) ? ["npm test"] : []),
    ...(usesPytest ? ["pytest"] : []),
    ...(existsSync(join(root, "Cargo.toml")) ? ["cargo test"] : []),
    ...(existsSync(join(root, "go.mod")) ? ["go test ./..."] : []),
    ...(target === undefined ? [] : [`make ${target}`]),
  ];
  return found.length === 1 ? found[0] : undefined;
}

function textOf(path: string): string {
  try {
    return readBounded(path, MAX_SETTINGS).bytes.toString("utf8");
  } catch {
    return "";
  }
}

/** npm writes a script that only says that there is none. */
function hasTestScript(manifest: string): boolean {
  try {
    const value = parseJson(manifest);
    const scripts = isRecord(value) ? value["scripts"] : undefined;
    const script = isRecord(scripts) ? scripts["test"] : undefined;
    return typeof script === "string" && script !== "" && !script.includes("no test specified");
  } catch {
    return false;
  }
}

/** Where it is remembered that a hint was shown. */
export const hintsFolder = (home: string) => join(home, "hints");

/** Says, once a day for each project, how the work of a launch could have been checked. */
export function checkHint(home: string, root: string, agent: string): string | undefined {
  const command = obviousCheck(root);
  if (command === undefined) return undefined;
  const file = join(hintsFolder(home), sha256(root).slice(0, 16));
  const today = new Date().toISOString().slice(0, 10);
  try {
    if (existsSync(file) && readFileSync(file, "utf8") === today) return undefined;
    makeFolder(hintsFolder(home));
    writeFileSync(file, today, { mode: 0o600 });
  } catch {
    // It is then shown again next time.
  }
  return `nothing was checked; signalbox ${agent} --accept "${command}" would have`;
}
