import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isTrusted, readTrust, trust } from "../../guard/policy/trust.ts";
import { TRUSTING } from "../../staging/sources/staged-agents.ts";

/**
 * Preserves the trust in an agent's settings across a stage or unstage, because only our own content changes. Newly
 * created settings contain nothing else and become trusted; untrusted ones stay untrusted.
 */
export function carryTrust({ root, home }: { readonly root: string; readonly home: string }): Disposable {
  const known = TRUSTING.map(({ hooks }) => {
    const path = join(root, hooks.settings);
    const before = textOf(path);
    return { path, before, trusted: before === undefined || isTrusted(readTrust(home), path, before) };
  });
  return {
    [Symbol.dispose]() {
      for (const { path, before, trusted } of known) {
        const text = textOf(path);
        if (trusted && text !== undefined && text !== before)
          trust(home, { path, text, time: new Date().toISOString() });
      }
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
