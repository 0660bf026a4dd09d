import { grantOf } from "../allow/grant-of.ts";
import type { Decision, GuardFinding } from "../../contract/verdict.ts";
import { objectionsOf } from "../allow/allowable.ts";
import { ruleWords } from "../allow/rule-for.ts";

/** What a policy would need to let one command pass: the words of each part that no rule covers, and hosts. */
export interface WantedGrants {
  readonly argvs: readonly (readonly string[])[];
  readonly hosts: readonly { readonly host: string; readonly argv: readonly string[] }[];
}

const LEARNABLE = new Set(["no-rule", "option-unknown", "subcommand", "make-variable", "network-unlisted"]);

/** Programs that send, deploy, delete or take rights, or that start signalbox itself. */
const NEVER = new Set(
  "signalbox sudo su doas pkexec ssh scp rsync sftp ftp mail sendmail twine gh glab aws gcloud az kubectl terraform tofu helm docker podman vercel netlify heroku fly rm shred dd truncate kill pkill killall".split(
    " ",
  ),
);
const SENDING_WORDS = new Set("push publish upload deploy release login send apply merge destroy delete".split(" "));
const SENDING_OPTION =
  /^(?:-d|-F|-T|-X|--(?:data|form|upload|request|post|method|body|json)(?:[-=].*)?|--json|-[dFTX].+)$/;

/** What a command wants, or undefined when learning must not propose to allow it. */
export function wantedBy(decision: Decision): WantedGrants | undefined {
  const objections = objectionsOf(decision);
  if (objections.length === 0 || decision.effects.some(({ kind }) => kind === "delete")) return undefined;
  if (!objections.every(({ code }) => LEARNABLE.has(code))) return undefined;
  const argvs = objections.filter(isAboutArgv).map(({ fragment }) => ruleWords(fragment));
  const known = argvs.filter((argv) => typeof argv !== "string");
  if (known.length < argvs.length || known.some(sends)) return undefined;
  const hosts = objections.map((finding) => {
    const grant = grantOf(finding);
    const argv = ruleWords(finding.command ?? "");
    return grant?.kind === "host" ? { host: grant.target, argv: typeof argv === "string" ? [] : argv } : undefined;
  });
  const reached = hosts.filter((host) => host !== undefined);
  if (reached.some(({ argv }) => argv.length === 0 || sends(argv))) return undefined;
  return { argvs: distinct(known), hosts: reached };
}

const isAboutArgv = (finding: GuardFinding) => grantOf(finding) === undefined;

function sends([program = "", ...words]: readonly string[]): boolean {
  return (
    NEVER.has(program.split("/").at(-1) ?? "") ||
    words.slice(0, 3).some((word) => SENDING_WORDS.has(word)) ||
    words.some((word) => SENDING_OPTION.test(word) && /^(?:curl|wget|http|https|xh)$/.test(program))
  );
}

export function distinct(argvs: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(argvs.map((argv) => [JSON.stringify(argv), argv])).values()];
}
