import type { HookOutput } from "./hook-answer.ts";

/** An answer as the wrapper reads it: what to print, what to say on stderr, and the seal with the exit code. */
export function sealedAnswer({ stdout, stderr, exit }: HookOutput, seal: string): string {
  return `${oneLine(stdout)}\n${oneLine(stderr)}\n${seal} ${exit}\n`;
}

const oneLine = (text: string) => text.trimEnd().replaceAll(/[\n\r\0]+/g, " ");
