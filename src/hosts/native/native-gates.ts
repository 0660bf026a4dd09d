import { acceptanceGate, type Gate } from "../../engine/gates.ts";
import type { NativeTools } from "./native-tools.ts";
import type { NativeSettings } from "./native-settings.ts";

/** The gates of a conversation, in the order they are asked. The `agentStop` hooks come after them. */
export function nativeGates(
  { accept }: Pick<NativeSettings, "accept">,
  { runCheck }: Pick<NativeTools, "runCheck">,
): readonly Gate[] {
  return accept === undefined ? [] : [acceptanceGate(accept, runCheck)];
}
