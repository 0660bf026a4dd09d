import type { Grants, Policy, PolicyFile, Rule } from "../../contract/policy.ts";
import { PRESET_STRICTNESS, type PresetName, PRESETS } from "../presets/presets.ts";

/** The origin of a policy file. A `workspace` file may only tighten until the user trusts it. */
export interface PolicySource {
  readonly origin: "managed" | "user" | "workspace";
  readonly trusted: boolean;
  readonly file: PolicyFile;
  /** Where it is, and whether the user trusted it with another content, to name it when it is ignored. */
  readonly path?: string | undefined;
  readonly changed?: boolean | undefined;
}

/** Merges a preset and the files that apply, strongest origin first. `preset` counts if no file names one. */
export function mergePolicy(
  sources: readonly PolicySource[],
  place: { readonly workspaceRoot: string; readonly home: string; readonly preset?: PresetName | undefined },
): Policy {
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
  const { sandbox = "off", landlock } = sandboxOf(source.file);
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
    ...(landlock === "deny" ? { landlock } : {}),
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

interface FileFrom {
  readonly origin: string;
  readonly file: PolicyFile;
}

/** The rules of a file in their compiled form. */
function rulesOf({ origin, file }: FileFrom): readonly Rule[] {
  return file.rules.map(({ id, argv, exact, as_written, verdict, because, contained, hosts }) => ({
    id,
    source: origin,
    verdict,
    argv,
    exact,
    because: because ?? `the ${origin} policy says so`,
    ...(as_written === true ? { asWritten: as_written } : {}),
    ...(contained === false ? { contained } : {}),
    ...(hosts === undefined ? {} : { hosts }),
  }));
}

/** What a file grants if it is trusted. */
function grantsOf(source: FileFrom): Grants {
  const { paths, network, tools, env } = source.file;
  return {
    source: source.origin,
    rules: rulesOf(source),
    readRoots: paths?.read_roots,
    writeRoots: paths?.write_roots,
    networkMode: network?.mode,
    hosts: network?.allow ?? [],
    tools: tools?.allow ?? [],
    ...sandboxOf(source.file),
    passVariables: env?.pass ?? [],
    newRepositories: paths?.new_repositories ?? [],
  };
}

/** The sandbox that a file asks for, in either of its two forms, with sizes in bytes. */
function sandboxOf({ sandbox }: PolicyFile): Pick<Grants, "sandbox" | "landlock" | "limits"> {
  if (typeof sandbox !== "object") return { sandbox };
  const { memory, processes, tmp } = sandbox.limits;
  const limits = { memory: memory && bytesOf(memory), processes, tmp: tmp && bytesOf(tmp) };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  const { level, landlock } = sandbox;
  return { sandbox: level, landlock, limits: given.length === 0 ? undefined : Object.fromEntries(given) };
}

const bytesOf = (size: string) => Number.parseInt(size, 10) * 1024 ** (size.endsWith("G") ? 3 : 2);

/** Whether there is anything in it beyond restrictions. */
function hasGrants(grants: Grants): boolean {
  return (
    [grants.rules, grants.hosts, grants.tools, grants.passVariables, grants.newRepositories].some(
      (list) => list.length > 0,
    ) ||
    [grants.readRoots, grants.writeRoots, grants.networkMode, grants.sandbox, grants.landlock, grants.limits].some(
      (value) => value !== undefined,
    )
  );
}

/** Adds the grants of a file to a policy that has its restrictions. A rule with the id of a preset rule replaces it. */
function withGrants(policy: Policy, grants: Grants): Policy {
  const replaced = new Set(grants.rules.map(({ id }) => id));
  const isKept = ({ id, source }: Rule) =>
    source !== grants.source &&
    (source !== "preset" || ![id, id.replace(/\.\d+$/, "")].some((name) => replaced.has(name)));
  return {
    ...policy,
    rules: [...policy.rules.filter(isKept), ...grants.rules],
    paths: {
      ...policy.paths,
      readRoots: grants.readRoots ?? policy.paths.readRoots,
      writeRoots: grants.writeRoots ?? policy.paths.writeRoots,
    },
    network: {
      ...policy.network,
      mode: grants.networkMode ?? policy.network.mode,
      allow: [...policy.network.allow, ...grants.hosts],
      named: [...(policy.network.named ?? []), ...grants.hosts.filter((entry) => /^[^@*/]+(?::\*)?$/.test(entry))],
    },
    tools: { ...policy.tools, allow: [...policy.tools.allow, ...grants.tools] },
    sandbox: grants.sandbox ?? policy.sandbox,
    ...(grants.landlock === undefined ? {} : { landlock: grants.landlock }),
    ...(grants.limits === undefined ? {} : { limits: { ...policy.limits, ...grants.limits } }),
    passVariables: [...(policy.passVariables ?? []), ...grants.passVariables],
    newRepositories: [...(policy.newRepositories ?? []), ...grants.newRepositories],
  };
}

const TRUSTED = new WeakMap<Policy, Policy>();

/** The policy as it would be if the user trusted every ignored file. */
export function asIfTrusted(policy: Policy): Policy {
  const known = TRUSTED.get(policy);
  if (known !== undefined) return known;
  const { ignored = [], hash: _hash, ...rest } = policy;
  const trusted = ignored.reduce<Policy>((made, { grants }) => withGrants(made, grants), rest);
  TRUSTED.set(policy, trusted);
  return trusted;
}
