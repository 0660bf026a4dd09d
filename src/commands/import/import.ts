import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findBinary, type FoundBinary } from "../../agents/find-binary.ts";
import type { AgentPack } from "../../agents/pack/agent-pack.ts";
import type { AskedProgram, ImportFiles, RuleImport } from "../../agents/pack/rule-import.ts";
import { PACKS } from "../../agents/packs.ts";
import type { ForeignRules } from "../../contract/foreign-rule.ts";
import { type ImportPlan, planImport, writeImport } from "../../guard/allow/plan-import.ts";
import { removeTree } from "../../lib/files/folder-tree.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { safePath } from "../../lib/path/inside.ts";
import { currentFolder, findWorkspace } from "../../lib/path/workspace.ts";
import { atExit } from "../../lib/process/at-exit.ts";
import { refuseInSandbox } from "../../lib/process/inside-session.ts";
import { timerLine } from "../../lib/process/timer-line.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { startScriptedModel } from "../../models/scripted/server.ts";
import { abortOnSignal } from "../abort-on-signal.ts";
import type { CommandInput, CommandModule } from "../command-module.ts";
import { collect, isConfirmed, printJson, textsFlag } from "../flags.ts";
import { screenedMachine } from "../screened-machine.ts";
import { type RuleComparison, compare, lostRules } from "./compare.ts";
import { corpusFor } from "./corpus.ts";
import { readRuleFiles } from "./read-files.ts";
import { reportFields, reportText } from "./report.ts";

const IMPORTABLE = PACKS.filter(({ ruleImport }) => ruleImport !== undefined);

const NAMES = IMPORTABLE.map(({ program }) => program.name);

export const command: CommandModule = {
  firstWords: () => NAMES,

  configure(importing) {
    importing
      .argument("[agent]", `whose rules: ${NAMES.join(" or ")}`)
      .option("--from <file>", "read this rules file instead (can be repeated)", collect)
      .option("--repository", "the repository's rules, into .signalbox/policy.yaml")
      .option("--dry-run", "show the report and the check, write nothing")
      .option("--yes", "write what is shown without asking")
      .option("--json", "print JSON; writes only with --yes")
      .addHelpText("after", HELP);
  },

  async run(input) {
    const { pack, rules, how } = await readRules(input);
    const { flags } = input;
    const repository = flags["repository"] === true;
    const target = {
      folder: signalboxHome(),
      workspaceRoot: findWorkspace(currentFolder()),
      repository,
      agent: pack.program.name,
      machine: screenedMachine,
    };
    const plan = planImport(rules.rules, target);
    const checked = await check(rules, plan, { pack, how });
    const report = { plan, ...checked, title: pack.program.title, checkedBy: how.checkedBy, repository };
    const refusal = refusalOf(checked, plan);
    const isUnchanged = plan.diff === "" && refusal === undefined;
    const json = flags["json"] === true;
    const done = (outcome: string, code: number, shown: string) => {
      if (json) printJson({ outcome, ...reportFields(report), ...(refusal === undefined ? {} : { because: refusal }) });
      else (code === EXIT.ok ? process.stdout : process.stderr).write(shown);
      return code;
    };
    if (!json) process.stdout.write(reportText(report));
    if (refusal !== undefined) return done("refused", EXIT.refused, `Nothing was written: ${refusal}.\n`);
    if (isUnchanged) return done("unchanged", EXIT.ok, "Nothing to write.\n");
    if (flags["dryRun"] === true) return done("dry-run", EXIT.ok, "Nothing was written (--dry-run).\n");
    refuseInSandbox(
      "a command in the sandbox cannot change the policy",
      `run it in your own terminal: signalbox import ${pack.program.name}`,
    );
    if (flags["yes"] !== true && (json || !(await isConfirmed("Write it? [y/N] "))))
      return done("not-confirmed", EXIT.refused, "Nothing was written. To write it: add --yes\n");
    writeImport(plan, target);
    const trust = repository ? " To trust it: signalbox trust" : "";
    return done("written", EXIT.ok, `Written to ${printable(plan.file)}.${trust}\n`);
  },
};

const HELP = `
Shows which rules are taken exactly, which more strictly and which not, with file,
line and reason. Then both sides judge calls around every rule: the installed agent,
and signalbox with the new policy. If signalbox were looser on one, nothing is
written. Without --from: your own rules, or with --repository those of the repository.
A permission is only taken if a policy can say exactly the same.
Exits with 0 when done, 3 when nothing was written.

Examples:
  signalbox import claude --dry-run
  signalbox import codex --from ~/.codex/rules/default.rules
  signalbox import claude --repository --yes`;

const MAX_RULES = 2000;

interface ReadRules {
  readonly pack: AgentPack;
  readonly how: RuleImport;
  readonly rules: ForeignRules;
}

async function readRules({ words, flags }: CommandInput): Promise<ReadRules> {
  const fix = `use: signalbox import ${NAMES.join(", or signalbox import ")}`;
  const pack = IMPORTABLE.find(({ program }) => program.name === words[0]);
  const how = await pack?.ruleImport?.();
  if (pack === undefined || how === undefined)
    throw new UserError(words[0] === undefined ? "whose rules?" : `there is no import of rules from ${words[0]}`, {
      fix,
    });
  const named = textsFlag(flags, "from").map((path) => resolve(currentFolder(), path));
  const workspace = findWorkspace(currentFolder());
  const repository = flags["repository"] === true;
  const place = { env: process.env, cwd: currentFolder(), workspace, repository };
  const files: ImportFiles = readRuleFiles(named, () => how.folders(place), { home: homedir(), workspace });
  const rules = how.read(files);
  if (rules.rules.length > MAX_RULES)
    throw new UserError(`${rules.rules.length} rules are more than the ${MAX_RULES} that can be checked`, {
      fix: "import one file at a time: --from FILE",
    });
  if (rules.rules.length === 0)
    throw new UserError(`${pack.program.title} has no rules ${repository ? "in this repository" : "of yours"}`, {
      fix: "name a file: --from FILE",
    });
  return { pack, how, rules };
}

/** What the installed agent was asked, or why it was not. */
interface Checked {
  readonly comparison: RuleComparison | undefined;
  readonly left: number;
  readonly absent?: string | undefined;
}

async function check(rules: ForeignRules, plan: ImportPlan, { pack, how }: Omit<ReadRules, "rules">): Promise<Checked> {
  const found = installed(pack);
  if (typeof found === "string") return { comparison: undefined, left: 0, absent: found };
  const { calls, left } = corpusFor(rules);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-import-")));
  using _removed = atExit(() => removeTree(folder));
  using interrupted = abortOnSignal();
  using line = timerLine("check");
  try {
    mkdirSync(join(folder, "work"));
    const answers = await how.ask(calls, rules, {
      words: found.words,
      folder,
      env: { PATH: safePath(process.env), LANG: process.env["LANG"] },
      signal: interrupted.signal,
      tell: (progress) => line.show(`${how.checkedBy}: ${progress}`),
      startModel,
    });
    return { comparison: compare(calls, answers, plan.rules, { ...plan, folder }), left };
  } catch (cause) {
    const exitCode = interrupted.code();
    if (exitCode === undefined) throw cause;
    throw new UserError("interrupted, and nothing was written", { fix: "run it again", exitCode, cause });
  } finally {
    removeTree(folder);
  }
}

/** The agent's program, or that there is none. One that must not be used is an error. */
function installed({ program }: AgentPack): FoundBinary | string {
  try {
    return findBinary(program, process.env, [currentFolder()]);
  } catch (error) {
    if (isUserError(error) && error.exitCode === EXIT.notFound) return error.message;
    throw error;
  }
}

const startModel: AskedProgram["startModel"] = async (turns) => {
  const script = { turns: [...turns.map((calls) => ({ calls: [...calls] })), { text: "done" }] };
  const model = await startScriptedModel({ script });
  return {
    url: model.url,
    lastRequest: () => model.requests.findLast(({ body }) => JSON.stringify(body).includes("tool_result"))?.body,
    [Symbol.asyncDispose]: model.close,
  };
};

/** Why nothing may be written. */
function refusalOf({ comparison }: Checked, { rules }: ImportPlan): string | undefined {
  const [lost] = lostRules(rules);
  if (lost !== undefined) return `a rule that may restrict is not taken, ${printableLine(lost.rule.where)}`;
  const looser = comparison?.looser.length ?? 0;
  return looser === 0 ? undefined : `signalbox would be looser on ${looser} calls`;
}
