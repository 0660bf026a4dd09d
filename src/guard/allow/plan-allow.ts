import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Decision, Verdict } from "../../contract/verdict.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { parseHostPattern } from "../../lib/net/host-pattern.ts";
import { parseAddress } from "../../lib/net/ip-address.ts";
import { shWord as word } from "../../lib/text/shell-words.ts";
import { unifiedDiff } from "../../lib/text/unified-diff.ts";
import { EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { judgeUrlAccess } from "../access/judge-access.ts";
import { lastAsked, recordedCommand } from "../audit/read-decisions.ts";
import type { judge, JudgeExtras } from "../judge/judge.ts";
import { compilePolicy, loadActivePolicy } from "../policy/active-policy.ts";
import { compiledFile, workspacePolicy } from "../policy/compiled-policy.ts";
import type { PresetName } from "../presets/presets.ts";
import { readPolicyFile } from "../policy/load-policy.ts";
import {
  addToPolicy,
  changePolicy,
  NEW_POLICY,
  NOTHING_ADDED,
  type PolicyAddition,
  policyNow,
  withPreset,
} from "./edit-policy.ts";
import { type Proposal, proposeAddition } from "./propose.ts";

/** Where a command is to be allowed: in the user's policy, or in the repository's. */
export interface AllowPlace {
  /** The user's signalbox folder. */
  readonly folder: string;
  readonly workspaceRoot: string;
  readonly cwd: string;
  readonly repository: boolean;
  readonly preset: PresetName | undefined;
  /** Allow every command that begins with these words. */
  readonly prefix: boolean;
  /** With `contained`, the rule answers what is asked inside the sandbox. */
  readonly machine: Machine & JudgeExtras;
  /** Decides as a session does. */
  readonly decide: typeof judge;
}

/** What is to be allowed: a command, or a host for every command. */
interface Wanted {
  readonly cwd: string;
  readonly propose: (text: string) => Proposal;
  readonly decide: (policy: Policy) => Decision;
}

/** What would be written, and what else it would allow. */
export interface AllowedAddition {
  readonly kind: "addition";
  readonly wanted: Wanted;
  readonly file: string;
  readonly isNew: boolean;
  readonly addition: PolicyAddition;
  readonly reach: Reach;
  readonly diff: string;
  /** The file before and after. */
  readonly before: string;
  readonly after: string;
}

type AllowPlan =
  | { readonly kind: "allowed"; readonly decision: Decision }
  | { readonly kind: "refused"; readonly decision: Decision; readonly because: string }
  | AllowedAddition;

/** Finds the narrowest addition to a policy file that allows exactly this command. Writes nothing. */
export function planAllow(command: string, place: AllowPlace): AllowPlan {
  const call = { tool: "Bash", input: { command }, cwd: place.cwd };
  const { machine, decide, prefix } = place;
  const because = `allowed by signalbox guard allow on ${new Date(machine.now()).toISOString().slice(0, 10)}`;
  return plan(place, {
    cwd: place.cwd,
    propose(text) {
      const file = { path: fileOf(place), text };
      return proposeAddition(call, { file, load: loader(place), machine, decide, prefix, because });
    },
    decide: (policy) => decide(call, policy, machine),
  });
}

/** Opens one host, `NAME` or `NAME:PORT`, to every command. Throws a UserError for an entry that no policy takes. */
export function planHost(entry: string, place: AllowPlace): AllowPlan {
  refuseOther(entry);
  const url = `https://${entry}/`;
  const load = loader(place);
  const addition = { ...NOTHING_ADDED, hosts: [entry] };
  const decideUrl = (policy: Policy): Decision => {
    const findings = judgeUrlAccess(url, { policy, machine: place.machine });
    const [first = { verdict: "allow", code: "network", because: "the policy lists this host" } as const] = findings;
    return { ...first, rules: ["network"], findings, effects: [] };
  };
  return plan(place, {
    cwd: place.cwd,
    propose(text) {
      const present = load(text);
      const decision = decideUrl(present);
      if (decision.verdict === "allow" && present.network.named?.includes(entry) === true)
        return { kind: "allowed", decision };
      const made = addToPolicy(text, addition);
      const policy = load(made);
      const after = decideUrl(policy);
      return after.verdict === "allow"
        ? { kind: "addition", decision, addition, text: made, policy }
        : { kind: "refused", decision: after, because: after.because };
    },
    decide: decideUrl,
  });
}

/** Groups, patterns and blocks are for those who write the policy themselves. */
function refuseOther(entry: string): void {
  const fix = "name one host: NAME or NAME:PORT";
  if (/^@|[*/]/.test(entry)) throw new UserError(`${JSON.stringify(entry)} is not one host`, { fix });
  try {
    parseHostPattern(entry);
  } catch (cause) {
    throw new UserError(messageOf(cause), { fix, cause });
  }
}

function plan(place: AllowPlace, wanted: Wanted): AllowPlan {
  const file = fileOf(place);
  const now = policyNow(file);
  const before = now ?? NEW_POLICY;
  const proposal = wanted.propose(before);
  if (proposal.kind !== "addition") return proposal;
  const { addition, policy, text: after } = proposal;
  const { machine, decide } = place;
  const reach = tryVariations(wanted.cwd, addition, {
    before: loader(place)(before),
    after: policy,
    machine,
    decide,
  });
  const diff = unifiedDiff(now ?? "", after, file);
  return { kind: "addition", wanted, file, isNew: now === undefined, addition, reach, diff, before, after };
}

/**
 * Writes a plan and judges the command again with the files as they are then on the disk. A repository's file only
 * counts once it is trusted. Throws if the policy has changed meanwhile so that something else would be needed.
 */
export function writeAllow(plan: AllowedAddition, place: AllowPlace): Verdict {
  const { folder, workspaceRoot, preset } = place;
  changePolicy(folder, plan.file, (now) => {
    if ((now ?? NEW_POLICY) === plan.before) return plan.after;
    const again = plan.wanted.propose(now ?? NEW_POLICY);
    // Another signalbox has just written the same rule.
    if (again.kind === "allowed" && now !== undefined) return now;
    if (again.kind === "addition" && canonicalJson(again.addition) === canonicalJson(plan.addition)) return again.text;
    throw new UserError("the policy has changed meanwhile, and nothing was written", {
      where: plan.file,
      fix: "run it again",
      exitCode: EXIT.refused,
    });
  });
  // Hooks without a server read only the compiled form.
  if (existsSync(compiledFile(folder, workspaceRoot))) compilePolicy(folder, workspaceRoot);
  const { policy } = loadActivePolicy({ workspaceRoot, folder, preset });
  return plan.wanted.decide(policy).verdict;
}

const userPolicy = (folder: string) => join(folder, "policy.yaml");

/** The preset that the user's own policy names. Throws a UserError if the file cannot be read or changed. */
export function userPreset(folder: string): PresetName {
  const text = policyNow(userPolicy(folder));
  return (text === undefined ? undefined : readPolicyFile(text, userPolicy(folder)).extends) ?? "default";
}

/** The user's own policy, starting from another preset. `write` takes the file as it is by then. */
export function planPreset(folder: string, preset: PresetName): { readonly diff: string; readonly write: () => void } {
  const path = userPolicy(folder);
  if (preset === userPreset(folder)) return { diff: "", write: () => undefined };
  const edit = (text: string | undefined) => withPreset(text ?? NEW_POLICY, preset, path);
  const now = policyNow(path);
  return { diff: unifiedDiff(now ?? "", edit(now), path), write: () => changePolicy(folder, path, edit) };
}

/** The shell command that was asked about or denied last in this workspace; undefined text when it is not known whole. */
export function lastCommand(
  folder: string,
  workspaceRoot: string,
): { readonly time: string; readonly command: string | undefined } | undefined {
  const last = lastAsked(folder, workspaceRoot);
  return last === undefined ? undefined : { time: last.time, command: recordedCommand(last) };
}

const fileOf = ({ repository, workspaceRoot, folder }: AllowPlace) =>
  repository ? workspacePolicy(workspaceRoot) : userPolicy(folder);

function loader(place: AllowPlace) {
  const { workspaceRoot, folder, preset } = place;
  const path = fileOf(place);
  return (text: string) => loadActivePolicy({ workspaceRoot, folder, preset, instead: { path, text } }).policy;
}

/** Commands near an allowed one, as they were judged before and after the addition. */
interface Reach {
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
function tryVariations(cwd: string, addition: PolicyAddition, policies: Policies): Reach {
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
      .flatMap(({ argv, hosts = [] }) => [...argvVariations(argv.flat()), ...hosts.flatMap(hostVariations)]),
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
