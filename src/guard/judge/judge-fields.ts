import { isRecord, strings } from "../../lib/json/json-value.ts";
import { judgeUrl } from "../access/judge-url.ts";
import { judgePath, objectToField } from "../access/judge-path.ts";
import type { PathAccess } from "../../contract/policy.ts";
import { mentionedPaths, patchPaths } from "./paths-in-text.ts";
import { expandPattern } from "../../lib/text/wildcard.ts";
import type { ReadyPolicy } from "../rules/ready-policy.ts";
import type { SeenEffect, GuardFinding } from "../../contract/verdict.ts";
import type { AgentCall } from "../../contract/agent-call.ts";
import { type ToolKind, toolKind } from "./tool-call.ts";
import type { Machine } from "../../contract/machine.ts";

interface FieldPlace {
  readonly policy: ReadyPolicy;
  readonly machine: Machine;
  readonly kind: ToolKind;
  readonly cwd: string;
  readonly findings: GuardFinding[];
  readonly effects: SeenEffect[];
  /** Where a fetch would be redirected, if the caller knows. */
  readonly hops: readonly string[];
  /** Paths and hosts found so far. */
  met: number;
}

const CONTENT =
  /^(?:content|contents|new_string|old_string|old_str|new_str|old|new|text|file_text|insert_text|prompt|description|query|pattern|regex|message|body|instructions|thought|todos|edits|new_source|title|reason|explanation|patch|diff|input|output_mode|type|language|subagent_type|context)$/i;
const PATH_KEY = /path|file|dir|folder|cwd|root|target|location|destination|source/i;
const URL_KEY = /^(?:url|uri|href|endpoint|address|link|host|hostname|base_?url)$/i;
const MAX_DEPTH = 16;

/** Judges every path and address in a tool's input, at any depth. */
export function judgeFields(
  call: AgentCall,
  parts: { readonly policy: ReadyPolicy; readonly machine: Machine },
): { readonly findings: readonly GuardFinding[]; readonly effects: readonly SeenEffect[] } {
  const kind = toolKind(call.tool);
  const place: FieldPlace = {
    ...parts,
    kind,
    cwd: call.cwd ?? parts.policy.policy.workspaceRoot,
    findings: [],
    effects: [],
    hops: hopsOf(call.input),
    met: 0,
  };
  if (!place.cwd.startsWith("/")) report(place, "the working folder is not an absolute path", "");
  else visit(call.input, "", { place, depth: 0 });
  if (kind === "search") place.effects.push({ kind: "network", target: "the search service" });
  if (kind === "search" && parts.policy.policy.network.mode === "none")
    place.findings.push({
      verdict: "deny",
      code: "network",
      rule: "network",
      because: "a web search needs the network, and the policy allows none",
      fragment: call.tool,
    });
  if (needsTarget(kind) && place.met === 0 && place.findings.length === 0)
    report(place, "the call names no file, command or address", call.tool);
  if (place.findings.length === 0)
    place.findings.push({
      verdict: "allow",
      code: "fields",
      rule: "fields",
      because: "every path and address in it is allowed",
      fragment: call.tool,
    });
  return place;
}

function hopsOf(input: unknown): readonly string[] {
  return isRecord(input) ? (strings(input["redirect_chain"]) ?? []) : [];
}

function needsTarget(kind: ToolKind): boolean {
  return kind === "read" || kind === "write" || kind === "edit" || kind === "fetch";
}

function report(place: FieldPlace, because: string, fragment: string): void {
  place.findings.push({ verdict: "deny", code: "input", rule: "floor:input", because, fragment });
}

function visit(value: unknown, key: string, at: { readonly place: FieldPlace; readonly depth: number }): void {
  if (at.depth > MAX_DEPTH) return report(at.place, "the input is nested too deeply", key);
  if (typeof value === "string") return visitText(value, key, at.place);
  if (Array.isArray(value)) return value.forEach((item) => visit(item, key, { ...at, depth: at.depth + 1 }));
  if (isRecord(value))
    for (const [name, inner] of Object.entries(value)) visit(inner, name, { ...at, depth: at.depth + 1 });
}

/** Fields of search tools that select files by a pattern. */
function namesFiles(key: string, kind: ToolKind): boolean {
  return (kind === "glob" && key === "pattern") || (kind === "grep" && /^(?:glob|include)$/.test(key));
}

function visitText(text: string, key: string, place: FieldPlace): void {
  visitMentions(text, key, place);
  if (key === "redirect_chain" && place.kind === "fetch") return;
  if (URL_KEY.test(key) || (place.kind === "fetch" && key === "")) return visitUrl(text, place);
  if (namesFiles(key, place.kind)) return text.startsWith("!") ? undefined : visitPath(text, key, place);
  if (CONTENT.test(key)) return visitContent(text, key, place);
  if (PATH_KEY.test(key))
    return /^https?:\/\//i.test(text) && place.kind === "mcp" ? visitUrl(text, place) : visitPath(text, key, place);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return visitUrl(text, place);
  if (/^(?:\/|~|\.\.?\/)/.test(text) && !/\s/.test(text)) visitPath(text, key, place);
}

/** Whoever opens a skill with these arguments also reads the files that they mention. */
function visitMentions(text: string, key: string, place: FieldPlace): void {
  if (place.kind !== "plan" || !/^arg(?:ument)?s$/i.test(key)) return;
  const paths = mentionedPaths(text);
  if (paths === undefined) report(place, "it mentions too many files", key);
  for (const path of paths ?? []) visitPath(path, key, place);
}

/**
 * Text that a tool stores or shows is not a path. But a patch names the files it changes, and an unknown tool may open
 * whatever it is given.
 */
function visitContent(text: string, key: string, place: FieldPlace): void {
  if (place.kind === "edit" && /^(?:patch|input|diff|content)$/i.test(key)) visitPatch(text, key, place);
  const foreign = place.kind === "mcp" || place.kind === "unknown";
  if (foreign && /^(?:\/|~\/|\.\.\/)\S*$/.test(text)) visitPath(text, key, place);
}

function visitPatch(patch: string, key: string, place: FieldPlace): void {
  const { paths, unread } = patchPaths(patch);
  if (unread !== undefined)
    report(place, "a line of the patch that may name a file cannot be parsed", unread.slice(0, 200));
  for (const path of paths) visitPath(path, key, place);
}

function visitUrl(text: string, place: FieldPlace): void {
  place.met++;
  place.effects.push({ kind: "network", target: text });
  place.findings.push(...judgeUrl(text, place.hops, place));
}

function visitPath(text: string, key: string, place: FieldPlace): void {
  const { policy, machine, kind, cwd } = place;
  place.met++;
  const globs = kind === "glob" || key === "include" || key === "glob";
  const objection = objectToField(text, globs);
  const access: PathAccess = kind === "write" || kind === "edit" ? "write" : "read";
  place.effects.push({ kind: access, target: text });
  if (objection !== undefined)
    place.findings.push({ ...objection, code: "path-text", rule: "floor:path-text", fragment: text });
  if (objection?.verdict === "deny") return;
  const use = { policy, machine, cwd, otherCwds: [], outside: policy.policy.paths.outsideForTools, tool: true };
  for (const path of globs ? searchPatterns(text) : [text])
    place.findings.push(...judgePath({ access, path, glob: globs && /[*?[]/.test(path), dots: globs }, use));
  if (access === "write")
    place.findings.push(
      ...judgePath({ access: "read", path: text, glob: false }, { ...use, outside: "allow" }).filter(
        ({ verdict }) => verdict === "deny",
      ),
    );
}

/** Search tools accept several patterns in one string, separated by blanks or by commas outside braces. */
function searchPatterns(text: string): readonly string[] {
  const several = text.split(/\s+|,(?![^{]*\})/).filter((part) => part !== "" && !part.startsWith("!"));
  return [...new Set([text, ...several].flatMap(expandPattern))];
}
