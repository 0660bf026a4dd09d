import { OFFLINE } from "./offline.ts";
import { playSession } from "./session.ts";
import type { Stage } from "./stage.ts";
import { type Trial, tryOf } from "./trial.ts";

const TOOL = "apply_patch";
const ALLOWED = ["ok-patch", "ok-patch-indented"];
const BLANKS = { blank: " ", tab: "\t", "no-break": "\u00a0", ideographic: "\u3000" };

/** A session of patches whose headers stand behind white space or name a file in a roundabout way. */
export async function tryPatches(stage: Stage): Promise<readonly Trial[]> {
  const { patching, unattended } = OFFLINE[stage.name];
  const repository = stage.repository({ old: "a\n" });
  const denied = deniedPatches(repository);
  const patches = [add("ok-patch"), add("ok-patch-indented", "  "), ...Object.values(denied)];
  const session = await playSession(stage, {
    steps: [...(patching === undefined ? [] : patches.map(patchTurn)), { turn: { text: "All is tried." } }],
    flags: [...unattended, ...(patching?.flags ?? [])],
    env: patching?.env,
    repository,
  });
  if (patching !== undefined) return [tryOf("patch", session, { denied: Object.keys(denied), allowed: ALLOWED })];
  const untried = session.requests.some(({ toolNames }) => toolNames.includes(TOOL))
    ? [`it offers ${TOOL}, which was not tried`]
    : [];
  const nothing = tryOf("patch", session, { denied: [], allowed: [] });
  const unasked = session.requests.length === 0 ? ["the model was not asked"] : [];
  return [{ ...nothing, missing: [...nothing.missing, ...unasked, ...untried], seen: `it offers no ${TOOL}` }];
}

/** Patches by the file that they must not write. */
function deniedPatches(repository: string): Readonly<Record<string, readonly string[]>> {
  const behind = Object.entries(BLANKS).map(([name, blank]): [string, readonly string[]] => {
    const file = `no-patch-${name}`;
    return [file, [...add(`ok-beside-${name}`), ...add(file, blank)]];
  });
  return {
    "no-patch": add("no-patch"),
    ...Object.fromEntries(behind),
    "no-patch-null": add(`/dev/null/../..${repository}/no-patch-null`),
    "no-patch-moved": ["*** Update File: old", "*** Move to: no-patch-moved", "@@", "-a", "+b"],
  };
}

const add = (file: string, blank = "") => [`${blank}*** Add File: ${file}`, "+written"];

const patchTurn = (lines: readonly string[]) => ({
  turn: { calls: [{ name: TOOL, input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }] },
});
