import { appendAnchor } from "../guard/audit/anchor.ts";
import { commandScreen } from "../guard/screen/screen-command.ts";
import { guardParts } from "../guard/decide-and-record.ts";
import { screen } from "../guard/screen/screen.ts";
import { loadActivePolicy } from "../guard/policy/active-policy.ts";
import { findWorkspace } from "../lib/path/workspace.ts";
import { answerHook, hookInput } from "../hooks/answer-xpia.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { EXIT } from "../lib/text/user-error.ts";
import type { CommandModule } from "./command-module.ts";

/** The historical hook: one call in, `{}` or a decision out, always exit 0. */
export const command: CommandModule = {
  takesPassed: true,
  configure(hook) {
    hook
      .argument("[json]", "the call as JSON (default: standard input)")
      .addHelpText(
        "after",
        `\nExample:\n  echo '{"tool_name":"Bash","tool_input":{"command":"pwd"}}' | signalbox xpia-hook`,
      );
  },
  async run({ words, passed }) {
    const answer = answerHook(hookInput([...words, ...(passed ?? [])]), {
      ...guardParts(process.env, commandScreen(screen)),
      anchor: appendAnchor,
      folder: () => signalboxHome(),
      workspaceOf: findWorkspace,
      policyFor: (workspaceRoot) => loadActivePolicy({ workspaceRoot, folder: signalboxHome() }).policy,
    });
    process.stdout.write(`${JSON.stringify(answer)}\n`);
    return EXIT.ok;
  },
};
