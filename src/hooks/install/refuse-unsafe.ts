import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import type { Containment } from "../../contract/containment.ts";
import type { OwnRules } from "../../contract/own-rules.ts";
import { isInside } from "../../lib/inside.ts";
import { unsafeWorkspace } from "../../lib/unsafe-workspace.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";

interface Places {
  readonly workspace: string;
  /** The private folder of this run, and the user's signalbox folder. */
  readonly folder: string;
  readonly home: string;
}

/** Refuses a workspace that is too broad, or in which the agent could change the guard's own files. */
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

/**
 * A sandbox rewrites every command before the agent's own rules see it, so signalbox must hold them. With a rule that it
 * cannot read, nothing may be rewritten: the start is uncontained, or refused where a sandbox is required.
 */
export function unreadableRule(
  { unreadable }: OwnRules,
  { required, title }: { readonly required: boolean; readonly title: string },
): Extract<Containment, { readonly contained: false }> | undefined {
  if (unreadable === undefined) return undefined;
  const { rule, where } = unreadable;
  const because = `signalbox cannot read a rule of ${title}'s own, which a rewritten command would bypass: ${rule}`;
  const fix = `write the rule in ${where} in a plain form, or move it into the policy`;
  if (!required) return { contained: false, because: `${because} (${where})`, fix };
  throw new UserError(because, { where, fix: `${fix}, or set "sandbox: off" in the policy`, exitCode: EXIT.refused });
}
