import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../lib/sha256.ts";
import type { PresetName } from "../presets/presets.ts";
import { readPolicyFile } from "./load-policy.ts";
import { mergePolicy, type PolicySource } from "./merge-policy.ts";
import type { Policy } from "./policy.ts";
import { readPolicyText } from "./read-policy-text.ts";
import { isTrusted, readTrust } from "./trust.ts";
import { MANAGED_POLICY, workspacePolicy } from "./workspace.ts";

export interface PolicyPlaces {
  readonly workspaceRoot: string;
  /** Where signalbox keeps what belongs to the user. */
  readonly folder: string;
  readonly managed?: string | undefined;
  readonly preset?: PresetName | undefined;
}

/** A policy together with the files it was made from, so that a change of one shows. */
export interface ActivePolicy {
  readonly policy: Policy;
  readonly files: readonly { readonly path: string; readonly hash: string; readonly trusted: boolean }[];
}

/** The policy that holds in a workspace: managed, user and workspace files over a preset. */
export function loadActivePolicy(places: PolicyPlaces): ActivePolicy {
  const trusted = readTrust(places.folder);
  const origins = [
    ["managed", places.managed ?? MANAGED_POLICY],
    ["user", join(places.folder, "policy.yaml")],
    ["workspace", workspacePolicy(places.workspaceRoot)],
  ] as const;
  const found = origins.flatMap(([origin, path]) => {
    if (!existsSync(path)) return [];
    const text = readPolicyText(path);
    return [{ origin, path, text, trusted: origin !== "workspace" || isTrusted(trusted, path, text) }];
  });
  const sources = found.map(({ origin, path, text, trusted: known }): PolicySource => ({
    origin,
    trusted: known,
    file: readPolicyFile(text, path),
  }));
  const policy = mergePolicy(sources, { workspaceRoot: places.workspaceRoot, home: homedir(), preset: places.preset });
  return {
    policy,
    files: found.map(({ path, text, trusted: known }) => ({ path, hash: sha256(text), trusted: known })),
  };
}
