import { isRecord, strings } from "../../lib/json/json-value.ts";
import type { Machine } from "../../contract/machine.ts";

/**
 * A machine built from a test case's links and addresses, with the clock at zero. Never touches the disk or the
 * network.
 */
export function fakeMachine(input: unknown): Machine {
  const fields = isRecord(input) ? input : {};
  const links = new Map<string, string>();
  const fs = isRecord(fields["fs"]) ? fields["fs"] : {};
  for (const group of Object.values(fs))
    if (isRecord(group))
      for (const [link, target] of Object.entries(group)) if (typeof target === "string") links.set(link, target);
  const addresses = strings(fields["resolved_ips"]);
  return { readLink: (path) => links.get(path), addresses: () => addresses, now: () => 0 };
}
