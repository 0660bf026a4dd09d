import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OrderPolicy, Policy } from "../../contract/policy.ts";
import { readBoundedText } from "../../lib/files/read-file.ts";
import { newerFormat } from "../../lib/json/file-format.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { errorCode, messageOf, UserError } from "../../lib/text/user-error.ts";
import { RUN_RECIPES } from "../presets/own-commands.ts";
import { type PresetName, PRESETS } from "../presets/presets.ts";
import { compileHosts } from "../rules/host-lists.ts";
import { isTrusted, readTrust } from "./trust.ts";

/** An organisation's policy, which the user cannot loosen. */
export const MANAGED_POLICY = "/etc/signalbox/policy.yaml";

export function workspacePolicy(root: string): string {
  return join(root, ".signalbox", "policy.yaml");
}

/** A policy with the files it was made from, so that changes to them are detected. */
export interface ActivePolicy {
  readonly policy: Policy;
  readonly files: readonly { readonly path: string; readonly hash: string; readonly trusted: boolean }[];
}

/** The compiled policy file of a workspace. On a name collision, the root inside tells them apart. */
export function compiledFile(folder: string, workspaceRoot: string): string {
  return join(folder, "compiled", `${workspaceRoot.replace(/[^\w.-]+/g, "-").slice(-120)}.json`);
}

/** Includes this version's presets, so that another version of signalbox does not use outdated rules. */
export function writeCompiled(active: ActivePolicy): string {
  const policy = { ...active.policy, hash: policyHash(active.policy) };
  return `${JSON.stringify({ version: 1, policy, files: active.files, presets: JSON.stringify(PRESETS) })}\n`;
}

interface CompiledPlaces {
  readonly folder: string;
  readonly workspaceRoot: string;
  readonly home: string;
  /** Policy files that would apply here. */
  readonly candidates: readonly string[];
}

/**
 * Reads a workspace's compiled policy, without YAML. If there is no policy file, returns the default preset, whatever
 * was compiled before. Throws if the compiled form is out of date with the files.
 */
export function readCompiled(places: CompiledPlaces): Policy {
  const present = places.candidates.filter((path) => existsSync(path));
  if (present.length === 0) return defaultPolicy(places);
  const path = compiledFile(places.folder, places.workspaceRoot);
  if (!existsSync(path)) throw new Error(`${present[0]} is not compiled; run: signalbox guard compile`);
  const { policy, files } = parseCompiled(readPolicyText(path));
  const gone = [...files.keys()].find((file) => !present.includes(file));
  if (gone !== undefined) throw new Error(`${gone} no longer exists; run: signalbox guard compile`);
  for (const file of present) {
    const text = readPolicyText(file);
    if (files.get(file)?.hash !== sha256(text)) throw new Error(`${file} has changed; run: signalbox guard compile`);
    const trusted = file !== workspacePolicy(places.workspaceRoot) || isTrusted(readTrust(places.folder), file, text);
    if (files.get(file)?.trusted !== trusted)
      throw new Error(`the trust setting for ${file} has changed; run: signalbox guard compile`);
  }
  if (policy.workspaceRoot !== places.workspaceRoot)
    throw new Error("the compiled policy belongs to another workspace");
  return policy;
}

const defaultPolicy = (places: CompiledPlaces): Policy => ({
  ...presetPolicy("default", places),
  hash: "preset:default",
});

/** A preset applied to a workspace. */
export function presetPolicy(
  name: PresetName,
  { workspaceRoot, home }: { workspaceRoot: string; home: string },
): Policy {
  return { ...PRESETS[name], version: 1, workspaceRoot, home };
}

interface CompiledSource {
  readonly hash: string;
  readonly trusted: boolean;
}

function parseCompiled(text: string): { readonly policy: Policy; readonly files: ReadonlyMap<string, CompiledSource> } {
  const value: unknown = parseJson(text);
  const newer = newerFormat(value);
  if (newer !== undefined) throw new Error(`the compiled policy was ${newer}; run: signalbox guard compile`);
  if (!isRecord(value) || !isPolicy(value["policy"]) || !Array.isArray(value["files"]))
    throw new Error("the compiled policy is corrupt; run: signalbox guard compile");
  if (value["presets"] !== JSON.stringify(PRESETS))
    throw new Error("the policy was compiled by another signalbox; run: signalbox guard compile");
  const files = new Map<string, CompiledSource>();
  for (const file of value["files"])
    if (isRecord(file) && typeof file["path"] === "string" && typeof file["hash"] === "string")
      files.set(file["path"], { hash: file["hash"], trusted: file["trusted"] === true });
  return { policy: value["policy"], files };
}

/** Only signalbox writes this file. This checks that it is complete and of this version. */
function isPolicy(value: unknown): value is Policy {
  return (
    isRecord(value) &&
    value["version"] === 1 &&
    Array.isArray(value["rules"]) &&
    isRecord(value["paths"]) &&
    isRecord(value["network"]) &&
    isRecord(value["tools"]) &&
    typeof value["interactive"] === "boolean"
  );
}

const HASHES = new WeakMap<Policy, string>();

/** The hash of a policy in its compiled form. */
export function policyHash(policy: Policy): string {
  const known = policy.hash ?? HASHES.get(policy);
  if (known !== undefined) return known;
  const made = sha256(canonicalJson(policy));
  HASHES.set(policy, made);
  return made;
}

/** A policy for a session whose own limits a recipe would not know: it starts none unasked. */
export const withoutRecipes = (policy: Policy): Policy => ({
  ...policy,
  rules: policy.rules.filter(({ id }) => id !== RUN_RECIPES),
});

/** Adds a work order's policy to this machine's. It can only restrict; its hosts and tools narrow what was open. */
export function withOrderPolicy(policy: Policy, order: OrderPolicy): Policy {
  compileHosts([...order.allow_network, ...order.deny_network]);
  const hosts = order.allow_network.length > 0;
  const isPlain = Object.values(order).every((entries) => entries.length === 0);
  const own = isPlain ? policy : withoutRecipes(policy);
  return {
    ...own,
    // What a rule lends to one command is not in the order's list.
    rules: hosts ? own.rules.map((rule) => ({ ...rule, hosts: undefined })) : own.rules,
    tools: {
      allow: order.allowed_tools.length > 0 ? order.allowed_tools : policy.tools.allow,
      deny: [...policy.tools.deny, ...order.disallowed_tools],
      ask: [...policy.tools.ask, ...order.require_approval_for],
      otherwise: order.allowed_tools.length > 0 ? "deny" : policy.tools.otherwise,
    },
    paths: {
      ...policy.paths,
      denyRead: [...policy.paths.denyRead, ...order.deny_read],
      denyWrite: [...policy.paths.denyWrite, ...order.deny_write],
    },
    network: {
      ...policy.network,
      mode: hosts && policy.network.mode === "any" ? "allowlist" : policy.network.mode,
      allow: hosts ? order.allow_network : policy.network.allow,
      deny: [...policy.network.deny, ...order.deny_network],
      unlisted: hosts ? "deny" : policy.network.unlisted,
    },
  };
}

const MAX_BYTES = 1024 * 1024;

/** Reads a policy file. A repository may contain a FIFO or gigabytes under that name; both are rejected immediately. */
export function readPolicyText(path: string): string {
  try {
    return readBoundedText(path, MAX_BYTES);
  } catch (cause) {
    const why = errorCode(cause) ?? messageOf(cause);
    throw new UserError(`the policy cannot be read: ${why}`, {
      where: path,
      fix: "make it a readable file of at most 1 MiB, or move it elsewhere",
      cause,
    });
  }
}
