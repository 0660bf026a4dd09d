import { lookup } from "node:dns/promises";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPrivate, parseAddress } from "../../src/lib/net/ip-address.ts";
import { runOutside } from "./run-outside.ts";

/**
 * A home of signalbox with the default policy. Where this machine's DNS leads npm's registry to a mirror with a private
 * address, the policy lists that address: the door refuses it otherwise.
 */
export async function throwAwayPolicy(folder: string): Promise<string> {
  const home = join(folder, "signalbox");
  mkdirSync(home, { mode: 0o700, recursive: true });
  const registry = new URL(runOutside("npm", ["config", "get", "registry"], { cwd: folder }).trim());
  const found = await lookup(registry.hostname, { all: true });
  const mirrors = found.map(({ address }) => address).filter(isPrivateAddress);
  if (mirrors.length > 0) console.log(`${registry.hostname} is ${mirrors.join(", ")} here; the policy lists it`);
  const network = mirrors.length === 0 ? "" : `network: { allow: ${JSON.stringify(mirrors)} }\n`;
  writeFileSync(join(home, "policy.yaml"), `version: 1\nextends: default\n${network}`);
  return home;
}

function isPrivateAddress(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && isPrivate(parsed);
}
