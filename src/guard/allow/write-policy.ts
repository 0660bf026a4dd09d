import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { withLock } from "../../lib/lock.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { messageOf } from "../../lib/message-of.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { readPolicyText } from "../policy/read-policy-text.ts";

/** A policy file as it is now; undefined if there is none. A link or anything but a regular file is refused. */
export function policyNow(path: string): string | undefined {
  refuseLink(dirname(path));
  refuseLink(path);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const text = readPolicyText(path);
  // Root may write it all the same, but whoever took the right away meant something by it.
  if ((stat.mode & 0o200) === 0)
    throw new UserError("the policy file is read-only", { where: path, fix: `chmod u+w, or add the rule yourself` });
  return text;
}

function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new UserError("it is a link, and signalbox does not write through links", {
    where: path,
    fix: `add the rule yourself to ${readlinkSync(path)}, or replace the link by a file`,
  });
}

/**
 * Replaces a policy file while no other signalbox changes one. `edit` gets the text that is there at that moment, and
 * what it throws leaves the file as it was.
 */
export function changePolicy(folder: string, path: string, edit: (text: string | undefined) => string): void {
  withLock(join(folder, "policy.lock"), () => {
    const text = edit(policyNow(path));
    const mode = (lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
    try {
      makeFolder(dirname(path));
      atomicWrite(path, text, mode);
    } catch (cause) {
      throw new UserError(`the policy cannot be written: ${messageOf(cause)}`, {
        where: path,
        fix: "make the folder writable, or add the rule yourself",
        exitCode: EXIT.failed,
        cause,
      });
    }
  });
}
