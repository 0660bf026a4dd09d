import { isRecord, strings } from "../../lib/is-record.ts";
import type { Machine } from "../../contract/machine.ts";

/** A machine made of what a case brings: links, addresses, and no clock but zero. Touches no disk and no network. */
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
