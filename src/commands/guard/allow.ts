import { hostCommand } from "../../guard/allow/open-host.ts";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import {
  type AllowPlace,
  lastCommand,
  planAllow,
  planHost,
  writeAllow,
} from "../../guard/allow/plan-allow.ts";
import { decide } from "../../guard/decide-and-record.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { loadActivePolicy, readPreset } from "../../guard/policy/active-policy.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { refuseInSandbox } from "../../lib/refuse-in-sandbox.ts";
import { commandScreen } from "../../screen/screen-command.ts";
import { screen } from "../../screen/screen.ts";
import type { CommandInput } from "../command-module.ts";
import { printJson } from "../flags.ts";
import { alreadyText, proposalText, refusalText, writtenText } from "./allow-text.ts";
import { commandWords } from "./command-words.ts";
import { type JudgedAs, judgedAs, snapshotHere } from "./judged-as.ts";

/** Shows the narrowest rule that allows a command, what else it would allow, and writes it if the user agrees. */
export async function run({ words, passed, flags }: CommandInput): Promise<number> {
  const place = placeFrom(flags);
  const { policy } = loadActivePolicy(place);
  const host = flags["host"];
  const command = typeof host === "string" ? host : wantedCommand({ words, passed }, place);
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
  if (flags["yes"] !== true && (json || !(await isWanted()))) {
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
  machine: { ...realMachine, screen: commandScreen(screen) },
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

function wantedCommand({ words, passed }: Pick<CommandInput, "words" | "passed">, place: AllowPlace): string {
  const command = commandWords(words, passed);
  const where = join(place.folder, "audit");
  const fix = "name the command: signalbox guard allow 'COMMAND'";
  if (command === undefined || command.trim() === "")
    throw new UserError("no command to allow", { fix: "try: signalbox guard allow 'COMMAND', or: guard allow last" });
  if (command !== "last" || passed !== undefined) return command;
  const last = lastCommand(place);
  if (last === undefined) throw new UserError("no command was asked about or denied in this workspace", { where, fix });
  if (last.command === undefined)
    throw new UserError(`the last command, of ${last.time}, contained a secret or is too long for the log`, {
      where,
      fix,
    });
  return last.command;
}

async function isWanted(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await ask.question("Write it? [y/N] ")).trim());
  } catch {
    // The terminal went away, so nobody said yes.
    return false;
  } finally {
    ask.close();
  }
}
