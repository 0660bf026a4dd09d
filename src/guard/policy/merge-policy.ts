import type { PolicyFile } from "../../contract/policy-file.ts";
import { PRESET_STRICTNESS, PRESETS, type PresetName } from "../presets/presets.ts";
import type { Policy, Rule } from "../../contract/policy.ts";
import { grantsOf, hasGrants, rulesOf, sandboxOf, withGrants } from "./grants.ts";

/** The origin of a policy file. A `workspace` file may only tighten until the user trusts it. */
export interface PolicySource {
  readonly origin: "managed" | "user" | "workspace";
  readonly trusted: boolean;
  readonly file: PolicyFile;
  /** Where it is, and whether the user trusted it with another content, to name it when it is ignored. */
  readonly path?: string | undefined;
  readonly changed?: boolean | undefined;
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
  return ordered.reduce(
    (policy, source) => (source.trusted ? extend(policy, source) : restrict(policy, source)),
    start,
  );
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

/** A trusted file grants and restricts. */
const extend = (policy: Policy, source: PolicySource): Policy => withGrants(tighten(policy, source), grantsOf(source));

/** Takes only the restrictions from an untrusted file, and keeps what it would grant so that it can be named. */
function restrict(policy: Policy, source: PolicySource): Policy {
  const tightened = tighten(policy, source);
  const grants = grantsOf(source);
  if (source.path === undefined || !hasGrants(grants)) return tightened;
  const ignored = { file: source.path, changed: source.changed === true, grants };
  return { ...tightened, ignored: [...(policy.ignored ?? []), ignored] };
}

const MODES = ["any", "allowlist", "none"] as const;
const SANDBOXES = ["off", "auto", "workspace", "strict"] as const;

/** Takes only the restrictions from a file. */
function tighten(policy: Policy, source: PolicySource): Policy {
  const { paths, network, tools } = source.file;
  const { sandbox = "off" } = sandboxOf(source.file);
  const mode = network?.mode ?? "any";
  return {
    ...policy,
    rules: [...policy.rules, ...restrictionsOf(source)],
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

/** Rules that only restrict: an untrusted file cannot take a command out of the sandbox. */
function restrictionsOf(source: PolicySource): readonly Rule[] {
  return rulesOf(source)
    .filter(({ verdict }) => verdict !== "allow")
    .map((rule) => ({ ...rule, contained: undefined }));
}

/** A workspace's `!` entries would lift denials from other files. */
function liftsOf({ origin }: PolicySource, entries: readonly string[] | undefined): readonly string[] {
  return (entries ?? []).filter((entry) => origin !== "workspace" || !entry.startsWith("!"));
}
