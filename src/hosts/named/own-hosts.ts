import { host } from "../copilot/own-host.ts";
import type { OwnHost } from "../own-host.ts";

/** The agents with a host of their own. All others need no more than the record reader of their pack. */
export const OWN_HOSTS: readonly OwnHost[] = [host];

/** What is special about the program of that name when it is reached over ACP. */
export const acpOptions = async (name: string, env: NodeJS.ProcessEnv) =>
  (await OWN_HOSTS.find((own) => own.name === name)?.acpOptions(env)) ?? {};
