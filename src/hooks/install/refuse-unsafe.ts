import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isInside } from "../../lib/inside.ts";
import { unsafeWorkspace } from "../../lib/unsafe-workspace.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";

interface Places {
  readonly workspace: string;
  /** The private folder of this run, and the user's signalbox folder. */
  readonly folder: string;
  readonly home: string;
}

/** Refuses a workspace that is too wide, or in which the agent could change the files that guard it. */
export function refuseUnsafe({ workspace, folder, home }: Places): void {
  const wide = unsafeWorkspace(workspace, homedir());
  if (wide !== undefined)
    throw new UserError(wide, {
      where: workspace,
      fix: "start the agent in a project folder, or use --unguarded",
      exitCode: EXIT.refused,
    });
  const own = [realpathSync(folder), existsSync(home) ? realpathSync(home) : home];
  const inside = own.find((place) => isInside(place, workspace));
  if (inside !== undefined)
    throw new UserError("signalbox's own files would be inside the workspace, where the agent can change them", {
      where: inside,
      fix: "set SIGNALBOX_HOME to a folder outside the workspace, or unset it",
      exitCode: EXIT.refused,
    });
}
