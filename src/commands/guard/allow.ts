import { join } from "node:path";
import type { Decision } from "../../contract/verdict.ts";
import { hostCommand } from "../../guard/allow/offer.ts";
import {
  type AllowedAddition,
  type AllowPlace,
  lastCommand,
  planAllow,
  planHost,
  writeAllow,
} from "../../guard/allow/plan-allow.ts";
import { decide } from "../../guard/decide-and-record.ts";
import { loadActivePolicy, readPreset } from "../../guard/policy/active-policy.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { currentFolder, findWorkspace } from "../../lib/path/workspace.ts";
import { refuseInSandbox } from "../../lib/process/inside-session.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { screenedMachine } from "../screened-machine.ts";
import type { CommandInput } from "../command-module.ts";
import { isConfirmed, printJson } from "../flags.ts";
import { commandWords, type JudgedAs, judgedAs, snapshotHere } from "./judged-as.ts";

/** Shows the narrowest rule that allows a command, what else it would allow, and writes it if the user agrees. */
export async function allow(input: CommandInput): Promise<number> {
  const { words, passed, flags } = input;
  const place = placeFrom(flags);
  const { policy } = loadActivePolicy(place);
  const host = flags["host"];
  const command = typeof host === "string" ? host : wantedCommand(input, place);
  if (typeof host === "string" && (words.length > 1 || passed !== undefined))
    throw new UserError("--host opens a host to every command, so no command is named with it", {
      fix: `use: ${hostCommand(host)}`,
    });
  const here = await judgedAs(flags, () => policy);
  await using snapshot = snapshotHere(here, policy.workspaceRoot);
  const planned = await snapshot.work((containment) => {
    const machine = { ...place.machine, ...containment };
    const at = { ...place, machine };
    return { at, plan: typeof host === "string" ? planHost(host, at) : planAllow(command, at) };
  });
  const { at, plan, as } = forOthers(command, { ...planned, as: here }, flags);
  const json = flags["json"] === true;
  const report = (outcome: string, more: object, shown: string) => {
    if (json) printJson({ outcome, command, ...more, judged: `judged ${as.words}` });
    else process.stdout.write(shown);
  };
  if (plan.kind === "allowed") {
    report("already-allowed", { decision: plan.decision }, alreadyText(command, plan.decision, as.words));
    return EXIT.ok;
  }
  if (plan.kind === "refused") {
    const { because, decision } = plan;
    report("refused", { because, decision }, refusalText(command, decision, because));
    return EXIT.refused;
  }
  refuseInSandbox(
    "a command in the sandbox cannot change the policy",
    "run it in your own terminal: signalbox guard allow 'COMMAND'",
  );
  const { file, addition, reach, diff } = plan;
  const { repository } = place;
  const trust = repository ? { trust: "signalbox trust" } : {};
  const fields = { file, addition, ...reach, diff, ...trust };
  if (!json) process.stdout.write(proposalText({ wanted: command, plan, repository, judgedAs: as.words }));
  if (flags["yes"] !== true && (json || !(await isConfirmed("Write it? [y/N] ")))) {
    if (json) printJson({ outcome: "not-confirmed", command, ...fields });
    else process.stderr.write("Nothing was written. To write it: add --yes\n");
    return EXIT.refused;
  }
  const verdict = writeAllow(plan, at);
  report("written", { ...fields, verdict }, writtenText({ file, repository, verdict }));
  return verdict === "allow" || repository ? EXIT.ok : EXIT.failed;
}

const placeFrom = (flags: CommandInput["flags"]): AllowPlace => ({
  folder: signalboxHome(),
  workspaceRoot: findWorkspace(currentFolder()),
  cwd: currentFolder(),
  repository: flags["repository"] === true,
  preset: readPreset(flags["preset"]),
  prefix: flags["prefix"] === true,
  machine: screenedMachine,
  decide,
});

interface Planned {
  readonly at: AllowPlace;
  readonly plan: ReturnType<typeof planAllow>;
  readonly as: JudgedAs;
}

/** What contained sessions already allow may have been asked about in a session without a sandbox. */
function forOthers(command: string, planned: Planned, flags: CommandInput["flags"]): Planned {
  if (planned.plan.kind !== "allowed" || planned.as.contained === undefined) return planned;
  if (flags["contained"] !== undefined || flags["host"] !== undefined) return planned;
  const at = { ...planned.at, machine: { ...planned.at.machine, contained: undefined } };
  const plan = planAllow(command, at);
  return plan.kind === "addition" ? { at, plan, as: FOR_OTHERS } : planned;
}

const FOR_OTHERS: JudgedAs = {
  contained: undefined,
  words:
    "as without a sandbox, as in staged hooks and ACP agents. Contained sessions on this machine already allow the command.",
};

function wantedCommand({ words, passed }: CommandInput, place: AllowPlace): string {
  const command = commandWords(words, passed);
  const where = join(place.folder, "audit");
  const fix = "name the command: signalbox guard allow 'COMMAND'";
  if (command === undefined || command.trim() === "")
    throw new UserError("no command to allow", { fix: "try: signalbox guard allow 'COMMAND', or: guard allow last" });
  if (command !== "last" || passed !== undefined) return command;
  const last = lastCommand(place.folder, place.workspaceRoot);
  if (last === undefined) throw new UserError("no command was asked about or denied in this workspace", { where, fix });
  if (last.command === undefined)
    throw new UserError(`the last command, of ${last.time}, contained a secret or is too long for the log`, {
      where,
      fix,
    });
  return last.command;
}

const MAX_SHOWN = 400;

const short = (command: string) => {
  const text = printableLine(command);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

export function alreadyText(command: string, { because, rules }: Decision, judgedAs: string): string {
  return `Already allowed: ${short(command)}\n  ${printableLine(because)} (rule ${rules.join(", ")})\nJudged ${judgedAs}\nNothing was written.\n`;
}

export function refusalText(command: string, { verdict }: Decision, because: string): string {
  return `Cannot be allowed: ${short(command)}\n  ${printableLine(because)}.\nNothing was written; it stays ${verdict === "deny" ? "denied" : "a question"}. Details: signalbox guard explain\n`;
}

const MAX_LISTED = 6;

export interface Proposed {
  readonly plan: AllowedAddition;
  /** The command, or the host. */
  readonly wanted: string;
  readonly repository: boolean;
  /** For which sessions it was judged. */
  readonly judgedAs: string;
}

/** What would be written, where, what it opens, and what else it would allow. */
export function proposalText({ plan, wanted, repository, judgedAs }: Proposed): string {
  const { file, addition, diff, reach } = plan;
  const where = repository ? "this repository" : "every workspace of yours";
  const lines = [
    `To allow: ${short(wanted)}`,
    `This would be added to ${printable(file)}${plan.isNew ? " (a new file)" : ""}:`,
    "",
    printable(diff).trimEnd(),
    "",
    ...oddLetters(addition),
    ...opens(addition, where),
    ...list("It would also allow", reach.alsoAllows),
    ...list("It would not allow", reach.stillNot),
    repository
      ? "It holds for everyone who trusts this repository's policy. You have to trust it again: signalbox trust"
      : "It holds in every workspace of yours. For this one alone: add --repository",
    ...addition.rules
      .flatMap(({ hosts = [] }) => hosts)
      .map((host) => `To open ${host} to every command: ${hostCommand(host)}`),
    `The examples were judged ${judgedAs}`,
  ];
  return `${lines.join("\n")}\n`;
}

export function writtenText(at: {
  readonly file: string;
  readonly repository: boolean;
  readonly verdict: string;
}): string {
  const done = `Written to ${printable(at.file)}.`;
  if (at.verdict === "allow") return `${done} Judged again: ALLOW\n`;
  if (at.repository)
    return `${done} Judged again: ${at.verdict.toUpperCase()}, because the file is not trusted yet. To trust it: signalbox trust\n`;
  return `${done} Judged again: ${at.verdict.toUpperCase()}. Another file changed meanwhile; run it again.\n`;
}

function list(title: string, commands: readonly string[]): readonly string[] {
  if (commands.length === 0) return [];
  return [`${title}:`, ...commands.slice(0, MAX_LISTED).map((command) => `  ${short(command)}`), ""];
}

/** What it gives, and to whom; what is in a list of the policy is for other commands too. */
function opens({ rules, hosts, readRoots, writeRoots, variables }: AllowedAddition["addition"], where: string) {
  const all = `to every command in ${where}`;
  const root = (roots: readonly string[]) => roots.slice(-1).map(printableLine);
  const lines = [
    ...hosts.map(
      (host) =>
        `${host} ${all}, at a private address too; what it accepts can be sent there, files of the workspace too`,
    ),
    ...root(readRoots).map((path) => `${path} ${all}, for reading`),
    ...root(writeRoots).map((path) => `${path} ${all}, for writing`),
    ...variables.map((name) => `the variable ${name} ${all}`),
    ...rules.flatMap(({ hosts: lent = [] }) => lent).map((host) => `${host} to this command alone`),
    ...(rules.some(({ contained }) => contained === false)
      ? ["this machine to this command, which runs outside the sandbox"]
      : []),
  ];
  return lines.length === 0 ? [] : ["It opens:", ...lines.map((line) => `  ${line}`), ""];
}

/** Letters that look like ASCII ones make another command. */
function oddLetters({ rules, hosts, readRoots, writeRoots }: AllowedAddition["addition"]): readonly string[] {
  const texts = [...rules.flatMap(({ argv }) => argv), ...hosts, ...readRoots, ...writeRoots].join("");
  const odd = [...new Set(texts)].filter((character) => character > "\u007e").slice(0, 10);
  if (odd.length === 0) return [];
  const names = odd.map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return [`Note: it contains letters outside ASCII, which may look like others: ${names.join(", ")}`, ""];
}
