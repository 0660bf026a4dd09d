import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isTrusted, readTrust, trust } from "../../guard/policy/trust.ts";

/**
 * Keeps the trust in Claude Code's settings over a stage or unstage: all that changes in them is ours. Settings that
 * were not there hold nothing else afterwards; untrusted ones stay untrusted.
 */
export function carryTrust({ root, home }: { readonly root: string; readonly home: string }): Disposable {
  const path = join(root, ".claude/settings.json");
  const before = textOf(path);
  const trusted = before === undefined || isTrusted(readTrust(home), path, before);
  return {
    [Symbol.dispose]() {
      const text = textOf(path);
      if (trusted && text !== undefined && text !== before) trust(home, { path, text, time: new Date().toISOString() });
    },
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
