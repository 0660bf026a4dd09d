import type { AgentPack } from "../agent-pack.ts";
import { copilot } from "./program.ts";
import { surfaces } from "./surfaces.ts";
import { switchedOff } from "./switched-off.ts";

export const copilotPack: AgentPack = {
  program: copilot,
  offline: async () => (await import("./offline.ts")).offline,
  switchedOff,
  surfaces,
  nested: () => import("./normalise-nested.ts"),
};
