import type { HeldPart, Need } from "../../contract/agent-call.ts";
import type { GuardFinding, SeenEffect } from "../../contract/verdict.ts";
import { readTarget } from "../../lib/net/host-pattern.ts";
import { isWild } from "../../lib/path/glob.ts";
import { isBelow } from "../../lib/path/real-path.ts";
import { ANY_CODE, HELD_CODES, type HeldRow } from "./held-codes.ts";
import { holds, type Inside } from "./inside.ts";

/** A finding against a command, as it counts inside the sandbox. */
export function holdFinding(finding: GuardFinding, inside: Inside): GuardFinding {
  if (finding.verdict === "allow") return finding;
  const row = HELD_CODES[finding.code];
  switch (row?.kind) {
    case "held":
      return finding.verdict === "ask" || row.denials === true ? heldByRow(finding, row, inside) : finding;
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

/** Single files are only held in the whole form. */
const heldByRow = (finding: GuardFinding, { by, files }: Extract<HeldRow, { kind: "held" }>, inside: Inside) =>
  files === true && inside.isPartly ? finding : heldBy(finding, by, inside);

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

/** Folders that the sandbox replaces by its own. */
const OWN_FOLDERS = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/folders"];

/** Caches in the home folder: inside, they belong to the workspace's private home. */
const CACHES =
  ".cache .npm .yarn .pnpm-store .local/share/pnpm .bun/install .gradle .m2/repository .ivy2 .sbt .nuget .gem .bundle .cargo/registry .cargo/git go/pkg .hex .mix .cabal .stack .julia .composer/cache .cpan .pub-cache .cocoapods".split(
    " ",
  );

/** Tool folders of the home that stay visible inside. */
const TOOLS =
  ".cargo .rustup .pyenv .rbenv .nodenv .goenv .nvm .fnm .volta .asdf .sdkman .jabba .deno .bun .local go .ghcup .opam .elan .juliaup .dotnet .gitconfig".split(
    " ",
  );

/** True for a folder that is private to the session, so that what happens there stays inside. */
function isPrivatePlace(path: string, homes: readonly string[]): boolean {
  return OWN_FOLDERS.some((folder) => isBelow(path, folder)) || isInHome(path, CACHES, homes);
}

/** True for a path in the home folder that is not visible inside. */
function isHiddenInHome(path: string, homes: readonly string[]): boolean {
  const below = homes.some((home) => path !== home && isBelow(path, home));
  return below && !isInHome(path, CACHES, homes) && !isInHome(path, TOOLS, homes);
}

function isInHome(path: string, folders: readonly string[], homes: readonly string[]): boolean {
  return homes.some((home) => isBelow(path, home) && folders.some((folder) => isBelow(path, `${home}/${folder}`)));
}

/** A device that the sandbox does not have. */
function isMissingDevice(path: string): boolean {
  return /^\/dev\/(?!(?:shm|fd|pts|null|zero|full|random|urandom|tty|stdin|stdout|stderr|ptmx|console|core)(?:\/|$))./.test(
    path,
  );
}

/**
 * After untrusted text, contained programs still run, but nothing is lent to them, and a host that this session has not
 * reached yet needs approval.
 */
export function taintInside(
  findings: readonly GuardFinding[],
  effects: readonly SeenEffect[],
  reached: ((host: string) => boolean) | undefined,
): readonly GuardFinding[] {
  const host = effects.find(({ kind, target }) => kind === "network" && !isKnownHost(target, reached));
  const asks: GuardFinding = {
    verdict: "ask",
    code: "taint",
    rule: "taint",
    because: "untrusted text was read since your last message, and this session has not used this host before",
    fragment: host?.target ?? "",
  };
  return [...findings.map(withoutLoan), ...(host === undefined ? [] : [asks])];
}

function withoutLoan(finding: GuardFinding): GuardFinding {
  const { need, verdict, because } = finding;
  if (need === undefined || need.kind === "outside" || verdict !== "ask") return finding;
  return {
    ...finding,
    verdict: "deny",
    need: undefined,
    because: `${because}, and nothing is lent until your next message, because untrusted text was read`,
  };
}

/** Loopback is the sandbox's own, and a program without a host of its own goes through the door, which asks. */
function isKnownHost(target: string, reached: ((host: string) => boolean) | undefined): boolean {
  if (target === "its configured host") return true;
  const parsed = readTarget(/^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `https://${target}`);
  if ("because" in parsed) return false;
  return /^(?:localhost|127\.[\d.]+|::1|0\.0\.0\.0)$/.test(parsed.host) || reached?.(parsed.host) === true;
}
