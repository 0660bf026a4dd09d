import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeEntry } from "./entry.ts";
import { MANIFEST_PATH } from "./manifest-path.ts";
import { messageOf } from "../lib/message-of.ts";

export interface RefreshPlace {
  readonly root: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Updates what is staged in a repository, at launch. Does nothing if nothing is staged. Returns messages for the user.
 * Never throws, because a launch does not depend on it.
 */
export async function refreshStaged({ root, home, env }: RefreshPlace): Promise<readonly string[]> {
  if (!existsSync(join(root, MANIFEST_PATH))) return [];
  try {
    writeEntry(home);
    // Loaded on demand, because most launches have nothing to refresh.
    const [{ applyWanted }, { planStage }] = await Promise.all([import("./apply.ts"), import("./plan-stage.ts")]);
    const { written, deleted, kept } = await applyWanted({ root, home }, (manifest) =>
      planStage({ root, home, env, agents: manifest?.agents ?? [], required: manifest?.required ?? false }),
    );
    const changed = [...written, ...deleted];
    return [
      ...(changed.length === 0 ? [] : [`updated staged files: ${changed.join(", ")}`]),
      ...kept.map(({ path, because }) => `staged file is out of date: ${path}: ${because}`),
    ];
  } catch (error) {
    return [`could not update staged files: ${messageOf(error)}`];
  }
}
