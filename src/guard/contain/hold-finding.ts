import type { HeldPart, Need } from "../../contract/containment.ts";
import type { GuardFinding } from "../../contract/verdict.ts";
import { isWild } from "../../lib/glob.ts";
import { ANY_CODE, HELD_CODES } from "./held-codes.ts";
import { holds, type Inside } from "./inside.ts";
import { isHiddenInHome, isMissingDevice, isPrivatePlace } from "./private-places.ts";

/** A finding against a command, as it counts inside the sandbox. */
export function holdFinding(finding: GuardFinding, inside: Inside): GuardFinding {
  if (finding.verdict === "allow") return finding;
  const row = HELD_CODES[finding.code];
  switch (row?.kind) {
    case "held":
      return finding.verdict === "ask" || row.denials === true ? heldBy(finding, row.by, inside) : finding;
    case "reading":
      return finding.verdict === "deny" || inside.restricted ? finding : heldBy(finding, ANY_CODE, inside);
    case "loss":
      return finding.verdict === "ask" ? unlessLost(finding, inside.roots.some(inside.isLost)) : finding;
    case "git-loss":
      return finding.verdict === "ask" ? unlessLost(finding, inside.couldGitLose()) : finding;
    case "need":
      return needFinding(finding, inside);
    case "pattern":
      return patternFinding(finding, inside);
    default:
      return finding;
  }
}

function heldBy(finding: GuardFinding, parts: readonly HeldPart[], inside: Inside): GuardFinding {
  return holds(inside, parts) ? { ...finding, verdict: "allow", heldBy: parts } : finding;
}

/** Nothing is lost where the whole workspace could be restored, or all of it that git touches. */
function unlessLost(finding: GuardFinding, isLost: boolean): GuardFinding {
  return isLost ? finding : { ...finding, verdict: "allow", heldBy: [] };
}

/**
 * A pattern such as `*.md` may match the file and does not name it, so it only counts after untrusted text. `*` alone
 * names everything.
 */
function patternFinding(finding: GuardFinding, inside: Inside): GuardFinding {
  const last = finding.fragment.split("/").at(-1) ?? "";
  const narrow = isWild(finding.fragment) && /[\w-]/.test(last);
  return narrow && !inside.tainted ? heldBy(finding, ANY_CODE, inside) : finding;
}

function needFinding(finding: GuardFinding, inside: Inside): GuardFinding {
  switch (finding.code) {
    case "path-outside":
      return pathFinding(finding, inside);
    case "secret-variable":
      return variableFinding(finding, inside);
    case "git-setting":
    case "git-remote":
      return finding.verdict === "deny" ? finding : settingFinding(finding, inside);
    case "opens":
      return withNeed(finding, { kind: "outside", target: "your desktop", because: "needs your desktop" });
    default:
      return finding.need === undefined ? finding : withNeed(finding, finding.need);
  }
}

function withNeed(finding: GuardFinding, need: Need): GuardFinding {
  return { ...finding, because: need.because, need };
}

/** Most of the disk can be read inside; the home folder is another one, and only the write roots can be changed. */
function pathFinding(finding: GuardFinding, inside: Inside): GuardFinding {
  const { need } = finding;
  if (need === undefined) return finding;
  const { target } = need;
  if (isMissingDevice(target)) {
    const because = `needs the device ${target}`;
    return withNeed(finding, { kind: "outside", target: `the device ${target}`, because });
  }
  if (need.access !== "read")
    return isPrivatePlace(target, inside.homes) ? heldBy(finding, ["disk"], inside) : withNeed(finding, need);
  return isHiddenInHome(target, inside.homes) && !isPrivatePlace(target, inside.homes)
    ? withNeed(finding, need)
    : heldBy(finding, ["secrets"], inside);
}

/** Variables that look like credentials are not passed on. */
function variableFinding(finding: GuardFinding, inside: Inside): GuardFinding {
  const name = finding.fragment.replace(/^\$/, "");
  return inside.passVariables.includes(name)
    ? heldBy(finding, ["network"], inside)
    : withNeed(finding, {
        kind: "variable",
        target: name,
        because: `needs the variable ${name}, which the sandbox keeps back because its name suggests a secret`,
      });
}

/** Git's settings are read-only inside, because git follows them outside as well. */
function settingFinding(finding: GuardFinding, inside: Inside): GuardFinding {
  return withNeed(finding, {
    kind: "path",
    target: finding.need?.target ?? `${inside.roots[0] ?? ""}/.git/config`,
    access: "write",
    because: `${finding.because}, which git also follows outside the sandbox`,
  });
}
