import { join } from "node:path";

/** Where a server of a session that signalbox did not launch says how it is reached. Nobody else reads or writes there. */
export const serversFolder = (home: string) => join(home, "servers");

export const launchesFolder = (home: string) => join(home, "launches");

/** Names, in the environment of an agent that we launched, the file that tells how its server is reached. */
export const LAUNCH_VARIABLE = "SIGNALBOX_HOOK_SERVER";

export interface ServerAddress {
  readonly port: number;
  readonly token: string;
  readonly seal: string;
  readonly agent: string;
}

/** What the entry of staged wrappers reads. */
export const addressText = ({ port, token, seal, agent }: ServerAddress) =>
  `${port} ${token} ${seal} ${process.pid} ${agent}\n`;
