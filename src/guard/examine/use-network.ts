import type { GuardFinding } from "../../contract/verdict.ts";
import { isKnown, isVariable, show, type Word } from "../../shell/model/word.ts";
import type { Effect } from "../../shell/model/effect.ts";
import { holds } from "../contain/inside.ts";
import { judgeTarget, judgeUrl } from "../access/judge-url.ts";
import type { Rule } from "../../contract/policy.ts";
import { type Judged, type Place, report } from "./examination.ts";

export const URL_SHAPE = /^[a-z][a-z0-9+.-]*:\/\//i;

type Connection = Pick<Extract<Effect, { readonly kind: "network" }>, "word" | "port">;

/** Judges a connection to a host, or to whatever the program is configured for. */
export function useNetwork({ word, port }: Connection, place: Place, command: Judged): void {
  const { exam } = place;
  const { mode } = exam.policy.policy.network;
  exam.seen.push({ kind: "network", target: word === undefined ? "its configured host" : show([word]) });
  if (word === undefined) {
    if (mode === "none" && command.allowedBy === "preset")
      report(exam, {
        verdict: "deny",
        code: "network-none",
        rule: "network",
        because: "contacts another machine, and the policy allows no network access",
        fragment: command.text,
      });
    else if (!command.explicit && mode !== "any")
      report(exam, {
        verdict: "ask",
        code: "network-implied",
        rule: "network",
        because: "contacts another machine, and no rule covers it",
        fragment: command.text,
      });
    return;
  }
  // The sandbox has a loopback of its own.
  if (exam.inside !== undefined && holds(exam.inside, ["network"]) && isOwnHost(word.text)) return;
  if (mode === "none") {
    report(exam, {
      verdict: "deny",
      code: "network-none",
      rule: "network",
      because: "the policy allows no network access",
      fragment: command.text,
    });
    return;
  }
  if (!isKnown(word)) {
    report(exam, {
      verdict: "ask",
      code: "network-unknown",
      rule: "network",
      because: "the host is only known at run time",
      fragment: command.text,
    });
    return;
  }
  for (const finding of judgeHostWord({ text: word.text, port }, exam)) {
    const lender = lenderOf(finding, command);
    const about = { ...finding, command: command.text };
    report(exam, lender === undefined ? about : lent(about, lender));
  }
}

/** The rule that lends this one command the host that the policy does not list. */
function lenderOf({ code, need }: GuardFinding, { lenders = [] }: Judged): Rule | undefined {
  if (code !== "network-unlisted" || need === undefined) return undefined;
  return lenders.find(({ hosts = [] }) => hosts.some((entry) => entry.toLowerCase() === need.target));
}

const lent = (finding: GuardFinding, { id }: Rule): GuardFinding => ({
  ...finding,
  verdict: "allow",
  code: "network-lent",
  rule: id,
  because: `a rule lends ${finding.need?.target ?? "it"} to this one command`,
});

const LOOPBACK =
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^\s/@\\]*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|[\w-]+\.localhost)(?::\d{0,5})?(?:[/?#][^\\]*)?$/i;

/** True for an address of this machine in a plain spelling, or a port alone. */
function isOwnHost(text: string): boolean {
  if (/^:?\d{1,5}(?:\/[^\\]*|-\d{1,5})?$/.test(text)) return true;
  return LOOPBACK.test(text) && !isVariable(/^[^/?#]*(?:\/\/[^/?#]*)?/.exec(text)?.[0] ?? text);
}

/** Whether a rule lends it the host, which then has to be lent in the sandbox as well. */
const isLent = (word: Word, exam: Place["exam"], command: Judged) =>
  isKnown(word) &&
  judgeHostWord({ text: word.text, port: undefined }, exam).some((finding) => lenderOf(finding, command) !== undefined);

const HTTPS_PORT = 443;

/** A URL, or `user@host:path`, `host:port`, `host/path`. */
function judgeHostWord(
  { text, port: ownPort = HTTPS_PORT }: { readonly text: string; readonly port: number | undefined },
  exam: Place["exam"],
): readonly GuardFinding[] {
  if (URL_SHAPE.test(text))
    return judgeUrl(
      text.replace(/^(?:ssh|git|rsync|sftp)(?=:)/i, "https").replace(/^(https:\/\/)git@/, "$1"),
      [],
      exam,
    );
  const bare = text.replace(/^[\w.-]+@/, "");
  const [, host = bare, port] = /^([^:/]+)(?::(\d+)?[^/]*)?(?:\/.*)?$/.exec(bare) ?? [];
  const url = `https://${host}`;
  if (!URL.canParse(url)) return judgeUrl(text, [], exam);
  // `host:22` of ssh is a path.
  const named = port === undefined || port === "80" || ownPort !== HTTPS_PORT ? ownPort : Number(port);
  return judgeTarget(
    { scheme: "https", host: new URL(url).hostname.toLowerCase(), port: named, usualPort: HTTPS_PORT },
    text,
    exam,
  );
}

/** A program that is not known to connect may only store the address. Inside, the door judges it when it does. */
export function guessHost(word: Word, place: Place, command: Judged): void {
  const { exam } = place;
  if (exam.inside === undefined || !holds(exam.inside, ["network"]) || isLent(word, exam, command))
    return useNetwork({ word }, place, { ...command, explicit: false });
  exam.seen.push({ kind: "network", target: show([word]) });
}
