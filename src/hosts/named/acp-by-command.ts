import { basename } from "node:path";
import type { OpenHost } from "../../backplane/host.ts";
import { acpHost } from "../acp/acp-command.ts";
import { acpOptions } from "./own-hosts.ts";
import type { HostCommand } from "../program/program.ts";

/** An ACP agent, named after the command that starts it. */
export function acpByCommand(command: HostCommand, env: NodeJS.ProcessEnv, version: string): OpenHost {
  const name = basename(command.path);
  return async (place) => await acpHost(command, env, { ...(await acpOptions(name, env)), name, version })(place);
}
