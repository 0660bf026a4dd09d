import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { sha256 } from "../../lib/sha256.ts";
import { policyHash } from "./policy-hash.ts";
import { readPolicyText } from "./read-policy-text.ts";
import { PRESETS } from "../presets/presets.ts";
import type { ActivePolicy } from "./active-policy.ts";
import type { Policy } from "./policy.ts";
import { isTrusted, readTrust } from "./trust.ts";
import { workspacePolicy } from "./workspace.ts";

/** Where the compiled policy of a workspace lies. Names that meet are told apart by the root inside. */
export function compiledFile(folder: string, workspaceRoot: string): string {
  return join(folder, "compiled", `${workspaceRoot.replace(/[^\w.-]+/g, "-").slice(-120)}.json`);
}

/** Holds the presets too, as they are in this signalbox: another one must not go on with rules of ours. */
export function writeCompiled(active: ActivePolicy): string {
  const policy = { ...active.policy, hash: policyHash(active.policy) };
  return `${JSON.stringify({ policy, files: active.files, presets: JSON.stringify(PRESETS) })}\n`;
}

export interface CompiledPlaces {
  readonly folder: string;
  readonly workspaceRoot: string;
  readonly home: string;
  /** Policy files that would count here. */
  readonly candidates: readonly string[];
}

/**
 * The compiled policy of a workspace, without YAML. Without any policy file it is the default preset, whatever was
 * compiled before. Throws when the compiled form does not know the files in their present state.
 */
export function readCompiled(places: CompiledPlaces): Policy {
  const present = places.candidates.filter((path) => existsSync(path));
  if (present.length === 0) return defaultPolicy(places);
  const path = compiledFile(places.folder, places.workspaceRoot);
  if (!existsSync(path)) throw new Error(`${present[0]} is not compiled; run: signalbox guard compile`);
  const { policy, files } = parseCompiled(readPolicyText(path));
  const gone = [...files.keys()].find((file) => !present.includes(file));
  if (gone !== undefined) throw new Error(`${gone} is gone; run: signalbox guard compile`);
  for (const file of present) {
    const text = readPolicyText(file);
    if (files.get(file)?.hash !== sha256(text)) throw new Error(`${file} has changed; run: signalbox guard compile`);
    const trusted = file !== workspacePolicy(places.workspaceRoot) || isTrusted(readTrust(places.folder), file, text);
    if (files.get(file)?.trusted !== trusted)
      throw new Error(`the trust in ${file} has changed; run: signalbox guard compile`);
  }
  if (policy.workspaceRoot !== places.workspaceRoot)
    throw new Error("the compiled policy belongs to another workspace");
  return policy;
}

const defaultPolicy = ({ workspaceRoot, home }: CompiledPlaces): Policy => ({
  ...PRESETS.default,
  version: 1,
  hash: "preset:default",
  workspaceRoot,
  home,
});

interface CompiledSource {
  readonly hash: string;
  readonly trusted: boolean;
}

function parseCompiled(text: string): { readonly policy: Policy; readonly files: ReadonlyMap<string, CompiledSource> } {
  const value: unknown = parseJson(text);
  if (!isRecord(value) || !isPolicy(value["policy"]) || !Array.isArray(value["files"]))
    throw new Error("the compiled policy is damaged; run: signalbox guard compile");
  if (value["presets"] !== JSON.stringify(PRESETS))
    throw new Error("the policy was compiled by another signalbox; run: signalbox guard compile");
  const files = new Map<string, CompiledSource>();
  for (const file of value["files"])
    if (isRecord(file) && typeof file["path"] === "string" && typeof file["hash"] === "string")
      files.set(file["path"], { hash: file["hash"], trusted: file["trusted"] === true });
  return { policy: value["policy"], files };
}

/** Only signalbox writes this file; this checks that it is whole and of this version. */
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
