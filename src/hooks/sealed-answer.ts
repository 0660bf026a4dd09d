import type { HookOutput } from "./hook-answer.ts";

/** Ends the answers to staged wrappers, so that half of one is never believed. No secret: they come through a pipe of their own. */
export const STAGED_SEAL = "signalbox-answer";

/** An answer as the wrapper reads it: what to print, what to say on stderr, and the seal with the exit code. */
export function sealedAnswer({ stdout, stderr, exit }: HookOutput, seal: string): string {
  return `${oneLine(stdout)}\n${oneLine(stderr)}\n${seal} ${exit}\n`;
}

const oneLine = (text: string) => text.trimEnd().replaceAll(/[\n\r\0]+/g, " ");
