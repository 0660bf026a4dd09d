import * as z from "zod";
import type { OrderPolicy } from "../../contract/policy.ts";
import { WorkOrder } from "../../contract/work-order.ts";
import { fold } from "../../lib/path/real-path.ts";
import { compileGlob, covers, hasGlobFlaw, isWild } from "../../lib/path/glob.ts";
import { isDangerous } from "../../lib/process/dangerous-variables.ts";
import { parseHostPattern } from "../../lib/net/host-pattern.ts";
import { jsonDepth } from "../../lib/json/parse-json.ts";
import { UserError } from "../../lib/text/user-error.ts";

/** As much as one line of the protocol holds. Which task an agent can take is its prompt delivery's decision. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 64;

/**
 * Parses a work order from outside. Refuses one that is incomplete, too deep, or too large, and lists all schema
 * errors.
 */
export function readWorkOrder(value: unknown): WorkOrder {
  const refuse = (what: string, fix: string) => new UserError(what, { where: "the work order", fix });
  let text: string;
  try {
    text = JSON.stringify(value) ?? "";
  } catch {
    throw refuse("the work order is not JSON, or is nested too deeply", "pass a JSON object");
  }
  if (text.length > MAX_BYTES)
    throw refuse(`the work order is larger than ${MAX_BYTES} bytes`, "put large content in files");
  if (jsonDepth(text) > MAX_DEPTH)
    throw refuse(`the work order is nested more than ${MAX_DEPTH} levels deep`, "flatten it");
  const parsed = WorkOrder.safeParse(value);
  if (!parsed.success)
    throw refuse(
      `the work order is incomplete or invalid: ${z.prettifyError(parsed.error)}`,
      "see: signalbox schema work-order",
    );
  return parsed.data;
}

/** Variables that decide which program runs, where rules are found, or which processes belong to which run. */
const REFUSED = /^(?:SIGNALBOX_.*|AMPLIHACK_.*|ABP_.*|PATH|HOME|TMPDIR|SHELL|IFS)$/;

/** An order may set environment variables, but none that load code into a program, redirect it, or bypass the rules. */
export function checkOrderEnvironment(env: Readonly<Record<string, string>>): void {
  const refused = Object.keys(env).filter((name) => {
    const upper = name.toUpperCase();
    return REFUSED.test(upper) || isDangerous(upper);
  });
  if (refused.length === 0) return;
  throw new UserError(`an order may not set ${refused.join(", ")}`, {
    where: "config.env",
    fix: "if you need it, set it in signalbox's own environment",
  });
}

/**
 * An order's rules in the guard's form. Every entry must have a meaning, because dropping one would allow what it was
 * meant to forbid.
 */
export function readOrderPolicy(order: WorkOrder): OrderPolicy {
  const { policy, workspace } = order;
  pathFilter(workspace.include, workspace.exclude);
  for (const list of ["allow_network", "deny_network"] as const)
    policy[list].forEach((entry) => checkHost(entry, list));
  for (const list of ["allowed_tools", "disallowed_tools", "require_approval_for"] as const)
    policy[list].forEach((entry) => checkTool(entry, list));
  const globs = (list: "deny_read" | "deny_write") =>
    policy[list].flatMap((entry) => readOrderGlob(entry, `policy.${list}`));
  return { ...policy, deny_read: globs("deny_read"), deny_write: globs("deny_write") };
}

function checkHost(entry: string, list: string): void {
  try {
    parseHostPattern(entry);
  } catch (cause) {
    throw new UserError(
      `the host ${JSON.stringify(entry)} cannot be read: ${cause instanceof Error ? cause.message : ""}`,
      {
        where: `policy.${list}`,
        fix: "write x, *.x or **.x with at least two labels, an address, or a block",
        cause,
      },
    );
  }
}

function checkTool(entry: string, list: string): void {
  if (entry.trim() !== "" && !hasGlobFlaw(entry)) return;
  throw new UserError(`the tool ${JSON.stringify(entry)} cannot be read`, {
    where: `policy.${list}`,
    fix: "write a name; * matches anything",
  });
}

const MAX_ALTERNATIVES = 64;

/**
 * Converts an order's path pattern to the guard's form, one result per `{a,b}` alternative. In an order, `*` also
 * matches slashes, so `*.log` matches every log. A pattern without a meaning is refused, because dropping it would
 * allow what it was meant to forbid.
 */
function readOrderGlob(pattern: string, where: string): string[] {
  const refuse = (because: string) =>
    new UserError(`the pattern ${JSON.stringify(pattern)} ${because}`, {
      where,
      fix: "use *, ?, [a-z], ** and {a,b} only",
    });
  if (pattern.trim() === "" || pattern.includes("\0")) throw refuse("names nothing");
  if (pattern.startsWith("!")) throw refuse("would lift a denial, but an order can only add restrictions");
  const alternatives = expandAlternatives(pattern);
  if (alternatives === undefined) throw refuse(`has more than ${MAX_ALTERNATIVES} alternatives, or unpaired braces`);
  if (alternatives.some(hasGlobFlaw)) throw refuse("does not compile");
  return alternatives.map(crossFolders);
}

/** Expands `a{b,c}d` to `abd` and `acd`, including nested braces. */
function expandAlternatives(pattern: string): string[] | undefined {
  const found = /\{([^{}]*)\}/.exec(pattern);
  if (found === null) return /[{}]/.test(pattern) ? undefined : [pattern];
  const [whole, inside = ""] = found;
  const expanded = inside.split(",").map((each) => pattern.replace(whole, () => each));
  if (expanded.length > MAX_ALTERNATIVES) return undefined;
  const all: string[] = [];
  for (const each of expanded) {
    const inner = expandAlternatives(each);
    if (inner === undefined || all.length + inner.length > MAX_ALTERNATIVES) return undefined;
    all.push(...inner);
  }
  return all;
}

function crossFolders(pattern: string): string {
  return pattern
    .split("/")
    .map((segment) => (isWild(segment) && segment !== "**" ? `**/${segment}` : segment))
    .join("/");
}

/** Returns a filter for paths relative to the workspace. Exclude wins; an empty include list matches everything. */
export function pathFilter(include: readonly string[], exclude: readonly string[]): (path: string) => boolean {
  const compile = (patterns: readonly string[], list: string) =>
    patterns
      .flatMap((pattern) => readOrderGlob(pattern, `workspace.${list}`))
      .map((pattern) => compileGlob(pattern, { root: "/", home: "/" }));
  const [wanted, unwanted] = [compile(include, "include"), compile(exclude, "exclude")];
  return (path) => {
    const folded = fold(`/${path}`);
    return (
      (wanted.length === 0 || wanted.some((glob) => covers(glob, folded))) &&
      !unwanted.some((glob) => covers(glob, folded))
    );
  };
}
