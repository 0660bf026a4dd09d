import type { ContainmentFacts } from "../../contract/seal.ts";

/** The facts of several rounds as those of one run: contained only if every round was. Undefined where none is known. */
export function joinContainment(rounds: readonly (ContainmentFacts | undefined)[]): ContainmentFacts | undefined {
  const known = rounds.filter((facts) => facts !== undefined);
  const [first, ...rest] = known;
  return first === undefined ? undefined : rest.reduce(join, first);
}

/** Who contained them is said by the later one, unless only the earlier one was not contained. */
function join(one: ContainmentFacts, other: ContainmentFacts): ContainmentFacts {
  const { contained, by, held, proven_at, because } = one.contained ? other : one;
  return {
    contained,
    by,
    held: held.filter((what) => one.held.includes(what) && other.held.includes(what)),
    proven_at,
    because,
    hosts: joinHosts([...one.hosts, ...other.hosts]),
    refused_hosts: [...new Set([...one.refused_hosts, ...other.refused_hosts])],
    lent: [...one.lent, ...other.lent],
    outside: [...one.outside, ...other.outside],
  };
}

type HostTraffic = ContainmentFacts["hosts"][number];

function joinHosts(hosts: readonly HostTraffic[]): HostTraffic[] {
  const total = new Map<string, HostTraffic>();
  for (const { host, sent, received } of hosts) {
    const before = total.get(host) ?? { host, sent: 0, received: 0 };
    total.set(host, { host, sent: before.sent + sent, received: before.received + received });
  }
  return [...total.values()];
}
