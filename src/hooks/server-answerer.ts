import { appendAnchor } from "../guard/audit/anchor.ts";
import { screen } from "../guard/injection/screen.ts";
import { findWorkspace } from "../guard/policy/workspace.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { type AnswererParts, openAnswerer, type HookAnswerer } from "./hook-answerer.ts";
import type { HookSettings } from "./hook-settings.ts";
import { livePolicy } from "./live-policy.ts";

/** The agent has started by then, and nobody waits. */
const WARM_AFTER_MS = 400;

/** What answers behind the server of a launch: as the bundle does, but with policies read anew when they change, and an anchored log. */
export function openServerAnswerer(
  settings: HookSettings,
  parts: Pick<AnswererParts, "env" | "warn" | "alsoJudge">,
): HookAnswerer {
  const { refresh, policyFor } = livePolicy(settings.folder);
  const answerer = openAnswerer({ ...parts, settings, policyFor, screen, anchor: appendAnchor });
  // The first screening of a process costs 25 ms; better now than in somebody's call.
  const warming = setTimeout(() => screen("ready"), WARM_AFTER_MS);
  warming.unref();
  return {
    async answer(call) {
      await refresh(settings.workspace ?? findWorkspace(currentFolder()));
      return await answerer.answer(call);
    },
    [Symbol.dispose]() {
      clearTimeout(warming);
      answerer[Symbol.dispose]();
    },
  };
}
