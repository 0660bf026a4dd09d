import { playSession } from "./session.ts";
import type { TrialPlace } from "./trial-place.ts";
import { type Trial, tryOf } from "./trial.ts";

const TOOL = "apply_patch";
const BLANKS = { blank: " ", tab: "\t", "no-break": "\u00a0", ideographic: "\u3000" };

/**
 * A session of edits that hide a denied file behind white space or an unusual path. Uses patches if the agent offers
 * them to the model.
 */
export async function tryPatches(stage: TrialPlace): Promise<readonly Trial[]> {
  return stage.offline.patching === undefined ? await tryWrites(stage) : await tryFreeText(stage);
}

async function tryFreeText(stage: TrialPlace): Promise<readonly Trial[]> {
  const { patching, unattended } = stage.offline;
  const repository = stage.repository({ old: "a\n" });
  const denied = deniedPatches(repository);
  const patches = [add("ok-patch"), add("ok-patch-indented", "  "), ...Object.values(denied)];
  const session = await playSession(stage, {
    steps: [...patches.map(patchTurn), { turn: { text: "Everything has been tried." } }],
    flags: [...unattended, ...(patching?.flags ?? [])],
    env: patching?.env,
    repository,
  });
  return [tryOf("patch", session, { denied: Object.keys(denied), allowed: ["ok-patch", "ok-patch-indented"] })];
}

/** Without patches, uses the file tool, and checks that no patch tool is offered. */
async function tryWrites(stage: TrialPlace): Promise<readonly Trial[]> {
  const { unattended, write } = stage.offline;
  const repository = stage.repository({ "old/file": "a\n" });
  const paths = ["ok-patch", "no-patch", "old/../no-patch-around"].map((path) => `${repository}/${path}`);
  const session = await playSession(stage, {
    steps: [
      { turn: { calls: paths.flatMap((path) => write?.(path) ?? []) } },
      { turn: { text: "Everything has been tried." } },
    ],
    flags: unattended,
    repository,
  });
  const tried = tryOf("patch", session, { denied: ["no-patch", "no-patch-around"], allowed: ["ok-patch"] });
  const offered = session.requests.some(({ toolNames }) => toolNames.includes(TOOL));
  return [{ ...tried, missing: [...tried.missing, ...(offered ? [`it offers ${TOOL}, which was not tried`] : [])] }];
}

/** Patches, by the file that they must not write. */
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
