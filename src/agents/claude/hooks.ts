import type { AgentHooks } from "../../contract/agent-hooks.ts";
import { claudeDialect } from "./dialect.ts";
import { changedSince, nestedBeside } from "./trusted-files.ts";

export const claudeHooks: AgentHooks = {
  dialect: claudeDialect,
  shellOf: (_, { shell }) => (shell === undefined ? undefined : { name: shell, chosenByModel: false }),
  refusal({ input, cwd }, { trustedFiles }) {
    if (trustedFiles === undefined) return undefined;
    const changed = changedSince(trustedFiles);
    if (changed !== undefined)
      return `${changed} was added or changed during this session and may start programs; ask the user to review it`;
    const nested = nestedBeside(trustedFiles, input, cwd ?? trustedFiles.workspace);
    return nested === undefined
      ? undefined
      : `${nested} is not trusted, and the agent would load it along with this file`;
  },
};
