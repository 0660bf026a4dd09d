import { join } from "node:path";

/** The private folder in which servers of sessions that signalbox did not launch publish their addresses. */
export const serversFolder = (home: string) => join(home, "servers");

export const launchesFolder = (home: string) => join(home, "launches");

/** The variable that gives an agent we launched the path of its server's address file. */
export const LAUNCH_VARIABLE = "SIGNALBOX_HOOK_SERVER";

export interface ServerAddress {
  readonly port: number;
  readonly token: string;
  readonly seal: string;
  readonly agent: string;
}

/** The content of an address file, as the entry of staged wrappers parses it. */
export const addressText = ({ port, token, seal, agent }: ServerAddress) =>
  `${port} ${token} ${seal} ${process.pid} ${agent}\n`;
