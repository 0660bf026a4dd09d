import { appendAnchor } from "../guard/audit/anchor.ts";
import { screen } from "../screen/screen.ts";
import { findWorkspace } from "../lib/find-workspace.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { type AnswererParts, openAnswerer, type HookAnswerer } from "./hook-answerer.ts";
import { hashNatively } from "../lib/sha256.ts";
import type { HookSettings } from "./hook-settings.ts";
import { livePolicy } from "./live-policy.ts";
import { noLog, warmUp } from "./warm-up.ts";

/** The agent has started by then, and nobody waits. */
const WARM_AFTER_MS = 400;

/** What answers behind the server of a launch: as the bundle does, but with policies read anew when they change, and an anchored log. */
export function openServerAnswerer(
  settings: HookSettings,
  parts: Pick<AnswererParts, "env" | "warn" | "alsoJudge">,
): HookAnswerer {
  const { refresh, policyFor } = livePolicy(settings.folder);
  const common = { ...parts, policyFor, screen };
  const answerer = openAnswerer({ ...common, settings, anchor: appendAnchor });
  const refreshed =
    ({ answer }: HookAnswerer): HookAnswerer["answer"] =>
    async (call) => {
      await refresh(settings.workspace ?? findWorkspace(currentFolder()));
      return await answer(call);
    };
  const ending = new AbortController();
  const warming = setTimeout(() => {
    hashNatively();
    const alone = openAnswerer({
      ...common,
      alsoJudge: undefined,
      settings: { ...settings, hooks: [] },
      log: () => noLog,
    });
    // Whatever is wrong is said by the first real call.
    warmUp({ answer: refreshed(alone) }, ending.signal).catch(() => {});
  }, WARM_AFTER_MS);
  warming.unref();
  return {
    answer: refreshed(answerer),
    [Symbol.dispose]() {
      clearTimeout(warming);
      ending.abort();
      answerer[Symbol.dispose]();
    },
  };
}
