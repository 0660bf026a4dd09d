import type { PolicyFile } from "../../contract/policy-file.ts";
import { PRESET_STRICTNESS, PRESETS, type PresetName } from "../presets/presets.ts";
import type { Policy, Rule } from "../../contract/policy.ts";

/** The origin of a policy file. A `workspace` file may only tighten until the user trusts it. */
export interface PolicySource {
  readonly origin: "managed" | "user" | "workspace";
  readonly trusted: boolean;
  readonly file: PolicyFile;
}

export interface PolicyPlace {
  readonly workspaceRoot: string;
  readonly home: string;
  /** The preset if no file names one. */
  readonly preset?: PresetName | undefined;
}

/** Merges a preset and the files that apply, strongest origin first. */
export function mergePolicy(sources: readonly PolicySource[], place: PolicyPlace): Policy {
  const preset = PRESETS[choosePreset(sources, place.preset ?? "default")];
  const start: Policy = { ...preset, version: 1, workspaceRoot: place.workspaceRoot, home: place.home };
  // Managed files come after the user's, so that a user's `!` entry cannot lift their denials.
  const ordered = ORIGINS.flatMap((origin) => sources.filter((source) => source.origin === origin));
  return ordered.reduce((policy, source) => (source.trusted ? extend(policy, source) : tighten(policy, source)), start);
}

const ORIGINS = ["user", "managed", "workspace"] as const;

/** The strongest file that names a preset decides. A workspace can only choose a stricter one, and never `none`. */
function choosePreset(sources: readonly PolicySource[], otherwise: PresetName): PresetName {
  const chosen =
    sources.find(({ origin, file }) => origin !== "workspace" && file.extends !== undefined)?.file.extends ?? otherwise;
  const wanted = sources.find(({ origin }) => origin === "workspace")?.file.extends;
  if (wanted === undefined || wanted === "none") return chosen;
  return PRESET_STRICTNESS.indexOf(wanted) > PRESET_STRICTNESS.indexOf(chosen) ? wanted : chosen;
}

function rulesOf({ origin, file }: PolicySource): readonly Rule[] {
  return file.rules.map(({ id, argv, exact, verdict, because }) => ({
    id,
    source: origin,
    verdict,
    argv,
    exact,
    because: because ?? `the ${origin} policy says so`,
  }));
}

/** A trusted file grants and restricts. A rule with the id of a preset rule replaces it. */
function extend(policy: Policy, source: PolicySource): Policy {
  const { paths, network, tools, sandbox } = source.file;
  const added = rulesOf(source);
  const replaced = new Set(added.map(({ id }) => id));
  const tightened = tighten(policy, source);
  return {
    ...tightened,
    rules: [
      ...policy.rules.filter(
        (rule) => rule.source !== "preset" || ![rule.id, rule.id.replace(/\.\d+$/, "")].some((id) => replaced.has(id)),
      ),
      ...added,
    ],
    paths: {
      ...tightened.paths,
      readRoots: paths?.read_roots ?? policy.paths.readRoots,
      writeRoots: paths?.write_roots ?? policy.paths.writeRoots,
    },
    network: {
      ...tightened.network,
      mode: network?.mode ?? policy.network.mode,
      allow: [...policy.network.allow, ...(network?.allow ?? [])],
    },
    tools: { ...tightened.tools, allow: [...policy.tools.allow, ...(tools?.allow ?? [])] },
    sandbox: sandbox ?? policy.sandbox,
  };
}

const MODES = ["any", "allowlist", "none"] as const;
const SANDBOXES = ["off", "workspace", "strict"] as const;

/** Takes only the restrictions from an untrusted file. */
function tighten(policy: Policy, source: PolicySource): Policy {
  const { paths, network, tools, sandbox = "off" } = source.file;
  const mode = network?.mode ?? "any";
  return {
    ...policy,
    rules: [...policy.rules, ...rulesOf(source).filter(({ verdict }) => verdict !== "allow")],
    paths: {
      ...policy.paths,
      denyRead: [...policy.paths.denyRead, ...liftsOf(source, paths?.deny_read)],
      denyWrite: [...policy.paths.denyWrite, ...liftsOf(source, paths?.deny_write)],
    },
    network: {
      ...policy.network,
      mode: MODES.indexOf(mode) > MODES.indexOf(policy.network.mode) ? mode : policy.network.mode,
      deny: [...policy.network.deny, ...(network?.deny ?? [])],
    },
    tools: {
      ...policy.tools,
      deny: [...policy.tools.deny, ...(tools?.deny ?? [])],
      ask: [...policy.tools.ask, ...(tools?.require_approval_for ?? [])],
    },
    sandbox: SANDBOXES.indexOf(sandbox) > SANDBOXES.indexOf(policy.sandbox) ? sandbox : policy.sandbox,
  };
}

/** A workspace's `!` entries would lift denials from other files. */
function liftsOf({ origin }: PolicySource, entries: readonly string[] | undefined): readonly string[] {
  return (entries ?? []).filter((entry) => origin !== "workspace" || !entry.startsWith("!"));
}
