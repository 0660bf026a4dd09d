import { join } from "node:path";

/** The output and exit code of a hook process. */
export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** Ends every answer to a staged wrapper, so that a truncated one is rejected. Not a secret: the pipe is private. */
export const STAGED_SEAL = "signalbox-answer";

/** An answer in the wrapper's format: stdout, stderr, then the seal with the exit code. */
export function sealedAnswer({ stdout, stderr, exit }: HookOutput, seal: string): string {
  return `${oneLine(stdout)}\n${oneLine(stderr)}\n${seal} ${exit}\n`;
}

const oneLine = (text: string) => text.trimEnd().replaceAll(/[\n\r\0]+/g, " ");

/** The private folder in which servers of sessions that signalbox did not launch publish their addresses. */
export const serversFolder = (home: string) => join(home, "servers");

export const launchesFolder = (home: string) => join(home, "launches");

/** The variable that gives an agent we launched the path of its server's address file. */
export const LAUNCH_VARIABLE = "SIGNALBOX_HOOK_SERVER";

interface ServerAddress {
  readonly port: number;
  readonly token: string;
  readonly seal: string;
  readonly agent: string;
}

/** The content of an address file, as the entry of staged wrappers parses it. */
export const addressText = ({ port, token, seal, agent }: ServerAddress) =>
  `${port} ${token} ${seal} ${process.pid} ${agent}\n`;
