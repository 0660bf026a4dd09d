import { dirname } from "node:path";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import { parseAddress } from "../../lib/ip-address.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import type { judge, JudgeExtras } from "../judge/judge.ts";
import type { PolicyAddition } from "./policy-addition.ts";

/** Commands near an allowed one, as they were judged before and after the addition. */
export interface Reach {
  /** Now allowed, and not before. */
  readonly alsoAllows: readonly string[];
  /** Still asked about or denied. */
  readonly stillNot: readonly string[];
}

interface Policies {
  readonly before: Policy;
  readonly after: Policy;
  readonly machine: Machine & JudgeExtras;
  readonly decide: typeof judge;
}

/** Tries what else an addition would allow, on variations of the command. */
export function tryVariations(cwd: string, addition: PolicyAddition, policies: Policies): Reach {
  const alsoAllows: string[] = [];
  const stillNot: string[] = [];
  for (const command of variationsOf(addition)) {
    const verdict = (policy: Policy) =>
      policies.decide({ tool: "Bash", input: { command }, cwd }, policy, policies.machine).verdict;
    if (verdict(policies.after) !== "allow") stillNot.push(command);
    else if (verdict(policies.before) !== "allow") alsoAllows.push(command);
  }
  return { alsoAllows, stillNot };
}

const MAX_VARIED = 3;

function variationsOf({ rules, hosts, readRoots, writeRoots }: PolicyAddition): readonly string[] {
  const varied = [
    ...rules
      .slice(0, MAX_VARIED)
      .flatMap(({ argv, hosts = [] }) => [...argvVariations(argv), ...hosts.flatMap(hostVariations)]),
    ...hosts.slice(0, MAX_VARIED).flatMap(hostVariations),
    ...readRoots.slice(-1).flatMap((path) => [`cat ${word(`${path}/other`)}`, `cat ${word(besides(path))}`]),
    ...writeRoots
      .slice(-1)
      .flatMap((path) => [`touch ${word(`${path}/other`)}`, `touch ${word(besides(path))}`, `rm ${word(path)}`]),
  ];
  return [...new Set(varied)];
}

const besides = (path: string) => `${dirname(path) === "/" ? "" : dirname(path)}/other`;

function argvVariations(argv: readonly string[]): readonly string[] {
  const command = argv.map(word).join(" ");
  const shorter = argv.slice(0, -1).map(word).join(" ");
  return [
    `${command} && git status`,
    `${command} other`,
    `${command} --force`,
    ...(argv.length > 1 ? [`${shorter} other`, shorter] : []),
    `${command} > out.txt`,
    `NAME=value ${command}`,
    `sudo ${command}`,
  ];
}

function hostVariations(entry: string): readonly string[] {
  const [, host = entry, port = "443"] = /^(.*):(\d+)$/.exec(entry) ?? [];
  const url = `https://${host}${port === "443" ? "" : `:${port}`}`;
  return [
    `curl ${word(`${url}/any/page`)}`,
    `curl -d @package.json ${word(`${url}/`)}`,
    ...(parseAddress(host.replaceAll(/[[\]]/g, "")) === undefined ? [`curl ${word(`https://sub.${host}/`)}`] : []),
  ];
}

const word = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : shQuote(text));
