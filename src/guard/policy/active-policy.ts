import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { PRESETS, type PresetName } from "../presets/presets.ts";
import {
  type ActivePolicy,
  compiledFile,
  MANAGED_POLICY,
  readPolicyText,
  workspacePolicy,
  writeCompiled,
} from "./compiled-policy.ts";
import { findIdleRules, type IdleRule, readPolicyFile } from "./load-policy.ts";
import { mergePolicy, type PolicySource } from "./merge-policy.ts";
import { isTrusted, readTrust } from "./trust.ts";

export interface PolicyPlaces {
  readonly workspaceRoot: string;
  /** The user's signalbox folder. */
  readonly folder: string;
  readonly managed?: string | undefined;
  readonly preset?: PresetName | undefined;
  /** Judges as if this file had this text and were trusted. */
  readonly instead?: { readonly path: string; readonly text: string } | undefined;
}

/** The policy that applies in a workspace: managed, user and workspace files on top of a preset. */
export function loadActivePolicy(places: PolicyPlaces): ActivePolicy {
  const trusted = readTrust(places.folder);
  const origins = [
    ["managed", places.managed ?? MANAGED_POLICY],
    ["user", join(places.folder, "policy.yaml")],
    ["workspace", workspacePolicy(places.workspaceRoot)],
  ] as const;
  const found = origins.flatMap(([origin, path]) => {
    if (places.instead?.path === path) return [{ origin, path, text: places.instead.text, trusted: true }];
    if (!existsSync(path)) return [];
    const text = readPolicyText(path);
    return [{ origin, path, text, trusted: origin !== "workspace" || isTrusted(trusted, path, text) }];
  });
  const sources = found.map(({ origin, path, text, trusted: known }): PolicySource => ({
    origin,
    trusted: known,
    file: readPolicyFile(text, path),
    path,
    changed: trusted.some((file) => file.path === path),
  }));
  const policy = mergePolicy(sources, { workspaceRoot: places.workspaceRoot, home: homedir(), preset: places.preset });
  return {
    policy,
    files: found.map(({ path, text, trusted: known }) => ({ path, hash: sha256(text), trusted: known })),
  };
}

/** Loads the policy files and writes the compiled form for the hook bundle, which cannot parse YAML. */
export function compilePolicy(folder: string, workspaceRoot: string): Policy {
  const active = loadActivePolicy({ workspaceRoot, folder });
  const file = compiledFile(folder, workspaceRoot);
  makeFolder(dirname(file));
  atomicWrite(file, writeCompiled(active));
  return active.policy;
}

/** The policy from one file, treated as the user's own. */
export function loadNamedPolicy(
  path: string,
  text: string,
  workspaceRoot: string,
  preset: PresetName | undefined,
): ActivePolicy {
  const file = readPolicyFile(text, path);
  const policy = mergePolicy([{ origin: "user", trusted: true, file }], { workspaceRoot, home: homedir(), preset });
  return { policy, files: [{ path, hash: sha256(text), trusted: true }] };
}

export interface PolicyCheck {
  readonly rules: number;
  readonly examples: number;
  /** Rules of the file that can never take effect. */
  readonly idle: readonly IdleRule[];
}

/** Parses a policy file and runs its examples. Throws a UserError for any mistake in it. */
export function checkPolicy(text: string, name: string): PolicyCheck {
  const file = readPolicyFile(text, name);
  const policy = mergePolicy([{ origin: "user", trusted: true, file }], { workspaceRoot: process.cwd(), home: "/" });
  const own = new Set(file.rules.map(({ id }) => id));
  return {
    rules: file.rules.length,
    examples: file.rules.reduce((sum, rule) => sum + rule.match.length + rule.not_match.length, 0),
    idle: findIdleRules(policy.rules).filter(({ rule }) => own.has(rule)),
  };
}

/** Parses a preset flag; undefined if it was not given. Throws a UserError for an unknown preset. */
export function readPreset(value: unknown): PresetName | undefined {
  if (value === undefined) return undefined;
  for (const name of ["default", "read-only", "ci", "none"] as const) if (name === value) return name;
  throw new UserError(`unknown preset ${JSON.stringify(value)}`, {
    where: "--preset",
    fix: `use one of: ${Object.keys(PRESETS).join(", ")}`,
  });
}

/** The read-only preset by itself: no file of the user or of the workspace adds a grant to it. */
export const readOnlyPolicy = (workspaceRoot: string): Policy =>
  mergePolicy([], { workspaceRoot, home: homedir(), preset: "read-only" });
