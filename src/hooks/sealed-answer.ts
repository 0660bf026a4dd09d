import type { HookOutput } from "./hook-answer.ts";

/** Ends every answer to a staged wrapper, so that a truncated one is rejected. Not a secret: the pipe is private. */
export const STAGED_SEAL = "signalbox-answer";

/** An answer in the wrapper's format: stdout, stderr, then the seal with the exit code. */
export function sealedAnswer({ stdout, stderr, exit }: HookOutput, seal: string): string {
  return `${oneLine(stdout)}\n${oneLine(stderr)}\n${seal} ${exit}\n`;
}

const oneLine = (text: string) => text.trimEnd().replaceAll(/[\n\r\0]+/g, " ");
