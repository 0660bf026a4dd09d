import { matchesSegment } from "../../lib/glob.ts";
import type { ReadyPolicy } from "../rules/ready-policy.ts";
import { toolKind, toolSpellings } from "./tool-kind.ts";
import type { GuardFinding, Verdict } from "../../contract/verdict.ts";

const SANE_NAME = /^[A-Za-z](?:[\w:@-]|\.(?!\.)){0,199}(?:\/[\w-]{1,100})?$/;

/** What the policy says about a tool by its name. Entries of the deny and ask lists match any case and spelling. */
export function judgeToolName(name: string, { policy }: ReadyPolicy): readonly GuardFinding[] {
  const { allow, deny, ask, otherwise } = policy.tools;
  const finding = (verdict: Verdict, code: string, because: string): GuardFinding => ({
    verdict,
    code,
    rule: `tools:${code}`,
    because,
    fragment: name,
  });
  if (!SANE_NAME.test(name)) return [finding("deny", "tool-name", "not a valid tool name")];
  const loose = [...toolSpellings(name), ...sameKind(name, [...deny, ...ask])].map((spelling) =>
    spelling.toLowerCase(),
  );
  const listed = (entries: readonly string[], spellings: readonly string[], folded: boolean) =>
    entries.find((entry) =>
      spellings.some((spelling) => matchesSegment(folded ? entry.toLowerCase() : entry, spelling)),
    );
  const denyEntry = listed(deny, loose, true);
  if (denyEntry !== undefined) return [finding("deny", "tool-denied", `the policy denies the tool ${denyEntry}`)];
  const askEntry = listed(ask, loose, true);
  const questions =
    askEntry === undefined ? [] : [finding("ask", "tool-approval", `the policy requires approval for ${askEntry}`)];
  const allowEntry = listed(allow, [...toolSpellings(name), ...sameTool(name, allow)], false);
  if (allowEntry !== undefined)
    return [...questions, finding("allow", "tool-allowed", `the policy allows the tool ${allowEntry}`)];
  if (allow.length > 0)
    return [...questions, finding(otherwise ?? "deny", "tool-unlisted", "the policy does not list this tool")];
  const kind = toolKind(name);
  if (kind === "unknown") return [...questions, finding("ask", "tool-unknown", "unknown tool")];
  if (kind === "mcp")
    return [...questions, finding("ask", "tool-unknown", `no rule names the MCP tool ${toolSpellings(name).at(-1)}`)];
  return questions;
}

/** Entries that name another agent's tool of the same kind. */
function sameKind(name: string, entries: readonly string[]): readonly string[] {
  const kind = toolKind(name);
  return kind === "mcp" || kind === "unknown" ? [] : entries.filter((entry) => toolKind(entry) === kind);
}

/**
 * Like `sameKind`, for grants. Names within one agent mean different tools (`Edit` is not `MultiEdit`), so they must
 * match exactly.
 */
function sameTool(name: string, entries: readonly string[]): readonly string[] {
  const capital = (text: string) => /^[A-Z]/.test(text);
  return sameKind(name, entries).filter((entry) => capital(entry) !== capital(name));
}
