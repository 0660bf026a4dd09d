import { LineCounter, parseDocument } from "yaml";
import { PolicyFile } from "../../contract/policy-file.ts";
import { refuseNewer } from "../../lib/file-format.ts";
import { UserError } from "../../lib/user-error.ts";
import { lintPolicy } from "./lint-policy.ts";
import { tryExamples } from "./try-examples.ts";

const MAX_BYTES = 4 * 1024 * 1024;

/** Parses a policy file. Any mistake throws a UserError with file, line and fix. */
export function readPolicyFile(text: string, name: string): PolicyFile {
  if (text.length > MAX_BYTES)
    throw new UserError("the policy is too long", { where: name, fix: "keep it under 4 MB" });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true });
  const at = (path: readonly (string | number)[]): string => {
    const node = document.getIn(path, true);
    const offset =
      typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)
        ? node.range[0]
        : undefined;
    return typeof offset === "number"
      ? `${name}:${lines.linePos(offset).line}`
      : path.length > 0
        ? at(path.slice(0, -1))
        : name;
  };
  const [broken] = document.errors;
  if (broken !== undefined)
    throw new UserError(`the policy is invalid YAML: ${broken.message.split("\n")[0] ?? ""}`, {
      where: `${name}:${lines.linePos(broken.pos[0]).line}`,
      fix: "fix the YAML at that position",
    });
  const plain = toPlain(document);
  refuseNewer(plain, { where: at(["version"]), known: 1 });
  const parsed = PolicyFile.safeParse(plain);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).flatMap((key) => (typeof key === "symbol" ? [] : [key]));
    throw new UserError(`the policy is invalid: ${path.join(".")} ${issue?.message ?? ""}`.replace("  ", " "), {
      where: at(path),
      fix: "see docs/guard.md for every key",
    });
  }
  const [flaw] = lintPolicy(parsed.data);
  if (flaw !== undefined) throw new UserError(flaw.message, { where: at(flaw.path), fix: flaw.fix });
  parsed.data.rules.forEach((rule, index) => {
    const [failed] = tryExamples(rule);
    if (failed !== undefined)
      throw new UserError(failed.message, { where: at(["rules", index]), fix: "change the rule or the example" });
  });
  return parsed.data;
}

function toPlain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (error) {
    throw new UserError("the policy expands too many aliases", { fix: "use fewer aliases", cause: error });
  }
}
