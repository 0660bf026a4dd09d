import { dirname, resolve } from "node:path";
import { fileFingerprint } from "../lib/file-fingerprint.ts";
import { isFile } from "../lib/is-program.ts";
import type { Agent } from "./pack/agent.ts";
import type { FoundBinary } from "./find-binary.ts";

/** The program behind a launcher script, where there is one. */
export function nativeProgram(agent: Agent, binary: FoundBinary): string | undefined {
  return agent.nativeProgram?.map((place) => resolve(dirname(binary.real), place)).find(isFile);
}

/** Changes whenever the agent's program does, launcher script or what is behind it. */
export function programFingerprint(agent: Agent, binary: FoundBinary): string {
  const native = nativeProgram(agent, binary);
  return [binary.real, ...(native === undefined ? [] : [native])].map(fileFingerprint).join(" ");
}
