import { parse } from "yaml";
import { messageOf } from "../../lib/message-of.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { UserError } from "../../lib/user-error.ts";
import { Script } from "./script/script.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** The script in a YAML or JSON file. Any mistake in it is a UserError that says where. */
export function loadScript(file: string): Script {
  return parseScript(read(file), file);
}

/** The script in a text; `where` names the text in errors. */
export function parseScript(text: string, where: string): Script {
  const parsed = Script.safeParse(parseYaml(text, where));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${placeOf(issue.path)}: ${issue.message}`);
  throw new UserError(`invalid script\n    ${problems.join("\n    ")}`, {
    where,
    fix: "fix these places; see docs/scripted-model.md for every key",
  });
}

function read(file: string): string {
  try {
    return readBounded(file, MAX_BYTES).bytes.toString("utf8");
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UserError(`cannot read the script: ${reason}`, {
      where: file,
      fix: "pass --script a YAML or JSON file",
      cause,
    });
  }
}

function parseYaml(text: string, where: string): unknown {
  try {
    return parse(text, { logLevel: "error" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim() : String(cause);
    const fix = "fix the file at that position";
    throw new UserError(`the script is neither YAML nor JSON: ${reason}`, { where, fix, cause });
  }
}

/** `scenes[0].turns[2].text`; a mistake in the whole file is at `the top`. */
function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return place === "" ? "the top" : place.replace(/^\./, "");
}
