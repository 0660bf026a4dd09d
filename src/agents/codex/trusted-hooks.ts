import type { HookEventName } from "../../contract/hook-event.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { tomlString } from "../../lib/inline-toml.ts";
import { sha256 } from "../../lib/sha256.ts";
import { HOOK_SECONDS } from "../install/hook-seconds.ts";
import { codexDialect } from "./dialect.ts";

/** Codex ends these hooks after three seconds, whatever timeout is set. */
const SHORT: readonly HookEventName[] = ["session-end"];

/** Codex matches nothing for these events, and leaves the matcher out of what it hashes. */
const UNMATCHED: readonly HookEventName[] = ["prompt-submitted", "agent-stop"];

interface CodexHook {
  readonly event: HookEventName;
  readonly command: string;
  /** Seconds that Codex waits for it. */
  readonly timeout?: number;
}

/** Flags that register hooks for one start of Codex, with the hashes by which it trusts them. */
export function trustedHooks(hooks: readonly CodexHook[]): readonly string[] {
  const entries = hooks.map((hook) => ({ ...hook, ...hashedEntry(hook) }));
  const state = entries.map(({ name, hash }) => {
    const key = tomlString(`/<session-flags>/config.toml:${snake(name)}:0:0`);
    return `${key}={trusted_hash="sha256:${hash}",enabled=true}`;
  });
  return [
    ...entries.flatMap(({ event, name, command, timeout }) => {
      const matcher = UNMATCHED.includes(event) ? "" : 'matcher="*",';
      const hook = `{type="command",command=${tomlString(command)},timeout=${timeout}}`;
      return ["-c", `hooks.${name}=[{${matcher}hooks=[${hook}]}]`];
    }),
    "-c",
    `hooks.state={${state.join(",")}}`,
    "-c",
    "features.hooks=true",
  ];
}

/** What Codex hashes of a hook: its own canonical form, with the timeout that will be in effect. */
function hashedEntry({ event, command, timeout: asked = HOOK_SECONDS }: CodexHook) {
  const name = codexDialect.events[event] ?? "";
  const timeout = SHORT.includes(event) ? 3 : asked;
  const hashed = {
    event_name: snake(name),
    hooks: [{ async: false, command, timeout, type: "command" }],
    ...(UNMATCHED.includes(event) ? {} : { matcher: "*" }),
  };
  return { name, timeout, hash: sha256(canonicalJson(hashed)) };
}

const snake = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
