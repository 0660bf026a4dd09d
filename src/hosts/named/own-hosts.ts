import { host } from "../copilot/own-host.ts";
import type { OwnHost } from "../own-host.ts";

/** Agents with their own host. For all others, their pack's record reader is enough. */
export const OWN_HOSTS: readonly OwnHost[] = [host];

/** Extra options for this program when connected over ACP. */
export const acpOptions = async (name: string, env: NodeJS.ProcessEnv) =>
  (await OWN_HOSTS.find((own) => own.name === name)?.acpOptions(env)) ?? {};
