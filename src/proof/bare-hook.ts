import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findDialect } from "../agents/find-dialect.ts";
import { trustedHooks } from "../agents/codex/trusted-hooks.ts";
import { shQuote } from "../lib/sh-quote.ts";
import type { ProvableName } from "./offline.ts";

const SECONDS = 2;

/** Flags that register the program at `path` as each agent's own documents say, with nothing of ours around it. */
export const BARE: Readonly<Record<ProvableName, (path: string, folder: string) => readonly string[]>> = {
  claude(path, folder) {
    const hook = { type: "command", command: path, timeout: SECONDS };
    const file = join(folder, "bare-settings.json");
    writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks: [hook] }] } }));
    return ["--settings", file];
  },
  codex: (path) => trustedHooks([{ event: "tool-before", command: path, timeout: SECONDS }]),
  copilot(path, folder) {
    const plugin = join(folder, "bare-plugin");
    mkdirSync(join(plugin, "hooks"), { recursive: true });
    const hooks = { preToolUse: [{ type: "command", bash: path, timeoutSec: SECONDS }] };
    writeFileSync(
      join(plugin, "plugin.json"),
      JSON.stringify({ name: "bare", version: "1.0.0", hooks: "hooks/hooks.json" }),
    );
    writeFileSync(join(plugin, "hooks", "hooks.json"), JSON.stringify({ version: 1, hooks }));
    return ["--plugin-dir", plugin];
  },
};

/** A hook as a careful person writes it: it denies what begins with `no-`, in the agent's own words. */
export function healthyHook(name: ProvableName): string {
  return `#!/bin/sh\ncase $(cat) in *'touch no-'*) printf '%s\\n' ${shQuote(denial(name))} ;; esac\n`;
}

/** The same hook with each fault that a program can have. */
export function faultyHooks(name: ProvableName): Readonly<Record<string, string>> {
  const deny = `printf '%s\\n' ${shQuote(denial(name))}`;
  return {
    "fault.exit-1": "#!/bin/sh\nexit 1\n",
    "fault.exit-3": "#!/bin/sh\nexit 3\n",
    "fault.killed": "#!/bin/sh\nkill -9 $$\n",
    "fault.hangs": "#!/bin/sh\nexec sleep 30\n",
    "fault.silent": "#!/bin/sh\nexit 0\n",
    "fault.garbage": "#!/bin/sh\necho 'denied, I think'\n",
    "fault.two-objects": `#!/bin/sh\n${deny}\n${deny}\n`,
    "fault.10-mb": "#!/bin/sh\nhead -c 10485760 /dev/zero | tr '\\0' x\n",
  };
}

const denial = (name: ProvableName) =>
  JSON.stringify(findDialect(name).write("tool-before", { verdict: "deny", because: "this file may not be written" }));
