import { realPath } from "../../lib/real-path.ts";
import type { Effect } from "../../shell/model/effect.ts";
import { isVariable } from "../../shell/model/word.ts";
import { type Judged, type Place, report } from "./examination.ts";

export type PathEffect = Extract<Effect, { readonly kind: "read" | "write" | "delete" }>;

/** Inside a sandbox, asks before work is removed or replaced that nothing could bring back. */
export function reportLoss(effect: PathEffect, place: Place, command: Judged): void {
  const { inside } = place.exam;
  if (inside === undefined || command.allowedBy === "user" || !isLossy(effect)) return;
  const lost = mayBe(effect, place).filter(({ path, like }) => !inside.isOutput(like) && inside.isLost(path));
  if (lost.length === 0) return;
  const verb = effect.kind === "delete" ? "removes" : "overwrites";
  const isSure = lost.some(({ path }) => inside.recoverable(path) === false);
  report(place.exam, {
    verdict: "ask",
    code: "loses-work",
    rule: "effect:loses-work",
    because: isSure
      ? `${verb} work that is in no commit and no snapshot`
      : `${verb} files, and nothing tells whether they could be restored`,
    fragment: command.text,
  });
}

function isLossy(effect: PathEffect): boolean {
  if (effect.kind === "delete") return effect.keeps !== true;
  return effect.kind === "write" && effect.replaces === true;
}

interface Loss {
  /** What would have to be restored: for a pattern the folder before it, and the workspace if only the shell knows. */
  readonly path: string;
  /** A path of the kind that is lost. */
  readonly like: string;
}

function mayBe({ word, kind }: PathEffect, { exam, state }: Place): readonly Loss[] {
  const { home, machine, inside } = exam;
  if (isVariable(word.text) || isVariable(state.cwd))
    return (inside?.roots ?? []).map((path) => ({ path, like: path }));
  const text = word.text.replace(/^~(?=\/|$)/, () => home);
  const fixed = word.glob ? text.replace(/[^/]*[*?[][\s\S]*$/, "") || "." : text;
  const last = word.glob ? (text.split("/").at(-1) ?? "") : "";
  const found = [state.cwd, ...state.otherCwds]
    .filter((cwd) => !isVariable(cwd))
    .map((cwd) => realPath(fixed, cwd, machine.readLink))
    .map((path) => ({ path, like: word.glob ? `${path}/${last.replaceAll(/[*?]+/g, "x")}` : path }));
  // A folder cannot be overwritten, only what is in it.
  return kind === "delete" ? found : found.filter(({ path }) => machine.kind?.(path) !== "folder");
}
