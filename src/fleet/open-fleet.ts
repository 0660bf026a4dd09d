import { isAbsolute, join } from "node:path";
import { UserError } from "../lib/text/user-error.ts";
import type { Fleet } from "./port.ts";
import { openSqliteFleet } from "./sqlite-fleet.ts";
import { witness } from "./worker.ts";

export const LEASE_SECONDS = 30;

/** The fleet that `SIGNALBOX_FLEET` names: a NATS server, a folder that several users share, or this user's own. */
export async function openFleet(
  home: string,
  env: NodeJS.ProcessEnv,
  leaseSeconds: number = LEASE_SECONDS,
): Promise<Fleet> {
  const settings = { leaseMs: leaseSeconds * 1000, witness: witness(home) };
  const address = env["SIGNALBOX_FLEET"] ?? "";
  if (address === "" || isAbsolute(address))
    return openSqliteFleet({ ...settings, folder: address === "" ? join(home, "fleet") : address });
  if (/^(?:nats|tls):\/\//.test(address)) {
    const { openNatsFleet } = await import("./nats-fleet.ts");
    return await openNatsFleet({ ...settings, address, env });
  }
  throw new UserError("this is not the address of a fleet", {
    where: "SIGNALBOX_FLEET",
    fix: "set it to nats://HOST:PORT or to the absolute path of a folder, or unset it to use your own",
  });
}
