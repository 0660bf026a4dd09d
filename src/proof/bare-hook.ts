import type { AgentName } from "../contract/agent.ts";
import { findDialect } from "../agents/find-dialect.ts";
import { shQuote } from "../lib/sh-quote.ts";
import { NOWHERE } from "./faults.ts";
import type { TrialPlace } from "./trial-place.ts";
import { writeBelow } from "./write-below.ts";

const SECONDS = 2;

/** What registers the program at `path` as the agent's own documentation says, with nothing of ours around it. */
export function registerBare({ offline, folder }: TrialPlace, path: string): BareStart {
  const { files, ...start } = offline.bareHook.register(path, { folder, seconds: SECONDS });
  writeBelow(folder, files ?? {});
  return start;
}

interface BareStart {
  readonly flags: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** A well-written hook. It denies what starts with `no-`, in the agent's own format. */
export function healthyHook(name: AgentName): string {
  return `#!/bin/sh\ncase $(cat) in *'touch no-'*) printf '%s\\n' ${shQuote(denial(name))} ;; esac\n`;
}

/** The same hook with each fault that a program can have. */
export function faultyHooks(name: AgentName): Readonly<Record<string, string>> {
  const deny = `printf '%s\\n' ${shQuote(denial(name))}`;
  return {
    "fault.exit-1": "#!/bin/sh\nexit 1\n",
    "fault.exit-3": "#!/bin/sh\nexit 3\n",
    "fault.killed": "#!/bin/sh\nkill -9 $$\n",
    "fault.hangs": "#!/bin/sh\nexec sleep 30\n",
    "fault.silent": "#!/bin/sh\nexit 0\n",
    "fault.garbage": "#!/bin/sh\necho 'denied, I think'\n",
    "fault.two-objects": `#!/bin/sh\n${deny}\n${deny}\n`,
    "fault.no-interpreter": `#!${NOWHERE}\n${deny}\n`,
    "fault.10-mb": "#!/bin/sh\nhead -c 10485760 /dev/zero | tr '\\0' x\n",
  };
}

const denial = (name: AgentName) =>
  JSON.stringify(findDialect(name).write("tool-before", { verdict: "deny", because: "this file may not be written" }));
