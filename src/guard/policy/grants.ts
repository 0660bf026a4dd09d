import type { Grants, Policy, Rule } from "../../contract/policy.ts";
import type { PolicyFile } from "../../contract/policy-file.ts";

interface FileFrom {
  readonly origin: string;
  readonly file: PolicyFile;
}

/** The rules of a file in their compiled form. */
export function rulesOf({ origin, file }: FileFrom): readonly Rule[] {
  return file.rules.map(({ id, argv, exact, verdict, because, contained, hosts }) => ({
    id,
    source: origin,
    verdict,
    argv,
    exact,
    because: because ?? `the ${origin} policy says so`,
    ...(contained === false ? { contained } : {}),
    ...(hosts === undefined ? {} : { hosts }),
  }));
}

/** What a file grants if it is trusted. */
export function grantsOf(source: FileFrom): Grants {
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
export function sandboxOf({ sandbox }: PolicyFile): Pick<Grants, "sandbox" | "limits"> {
  if (typeof sandbox !== "object") return { sandbox };
  const { memory, processes, tmp } = sandbox.limits;
  const limits = { memory: memory && bytesOf(memory), processes, tmp: tmp && bytesOf(tmp) };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { sandbox: sandbox.level, limits: given.length === 0 ? undefined : Object.fromEntries(given) };
}

const bytesOf = (size: string) => Number.parseInt(size, 10) * 1024 ** (size.endsWith("G") ? 3 : 2);

/** Whether there is anything in it beyond restrictions. */
export function hasGrants(grants: Grants): boolean {
  return (
    [grants.rules, grants.hosts, grants.tools, grants.passVariables, grants.newRepositories].some(
      (list) => list.length > 0,
    ) ||
    [grants.readRoots, grants.writeRoots, grants.networkMode, grants.sandbox, grants.limits].some(
      (value) => value !== undefined,
    )
  );
}

/** Adds the grants of a file to a policy that has its restrictions. A rule with the id of a preset rule replaces it. */
export function withGrants(policy: Policy, grants: Grants): Policy {
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
