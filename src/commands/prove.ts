import { join } from "node:path";
import { styleText } from "node:util";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { identify } from "../launch/binary-identity.ts";
import { systemProcesses } from "../hosts/program/system-processes.ts";
import { currentFolder } from "../lib/path/workspace.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { timerLine } from "../lib/process/timer-line.ts";
import { printable } from "../lib/text/printable.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { findCandidates, onTrialStages, proveAll } from "../proof/prove.ts";
import { compareFaults } from "../proof/compare-faults.ts";
import { faultLines, type Paint, reportText, shortcomings, shortVersion } from "../proof/report.ts";
import { GUARANTEE_IDS, type GuaranteeId, isGuarantee } from "../proof/guarantees.ts";
import { offlineOf, PROVABLE } from "../proof/proof-state.ts";
import { abortOnSignal } from "./abort-on-signal.ts";
import type { CommandModule } from "./command-module.ts";
import { printJson, textFlag } from "./flags.ts";

export const command: CommandModule = {
  firstWords: () => PROVABLE,

  configure(command: Command) {
    command
      .usage("[agent...] [flags]")
      .argument("[agents...]", `${PROVABLE.join(", ")}; all that are installed when none is named`)
      .option("--json", "print {agents: [{agent, version, binarySha256, guarantees: [{id, verdict, because}]}]}")
      .option("--require <guarantees>", "fail unless these pass (comma-separated)")
      .option("--only <guarantees>", "test only these (comma-separated); nothing is recorded")
      .option("--faults", "instead of proving, print what each fault does to a plain hook and to ours")
      .addHelpText("after", HELP);
  },

  async run({ words, flags }) {
    const required = guaranteesIn(textFlag(flags, "require"), "--require");
    const only = guaranteesIn(textFlag(flags, "only"), "--only");
    const candidates = findCandidates(words, process.env, currentFolder());
    using interrupted = abortOnSignal();
    const home = signalboxHome();
    const env = { ...process.env };
    let step = "starting";
    using line = timerLine(() => `testing ${step}`);
    line.start();
    const options = {
      version: manifest.version,
      env,
      processesFor: systemProcesses,
      signal: interrupted.signal,
      tell: (text: string) => void (step = text),
      only: only.length === 0 ? undefined : only,
    };
    try {
      if (flags["faults"] === true) {
        const cache = join(home, "cache");
        const versions = await Promise.all(
          candidates.map(async ({ agent, binary }) => (await identify(agent, binary, { cache, env })).version),
        );
        const compared = await onTrialStages(candidates, options, async (stage) => {
          options.signal.throwIfAborted();
          options.tell(`${stage.name}: faults`);
          return await compareFaults(stage);
        });
        line.stop();
        const tried = compared.map((one, index) => ({ ...one, version: shortVersion(versions[index] ?? "") }));
        return await showFaults(tried, flags["json"] === true);
      }
      const report = await proveAll(candidates, home, options);
      line.stop();
      if (flags["json"] === true) printJson(report);
      else process.stdout.write(reportText(report, paint));
      return shortcomings(report, required).length === 0 ? EXIT.ok : EXIT.failed;
    } catch (error) {
      if (interrupted.code() !== undefined) return interrupted.code() ?? EXIT.failed;
      throw error;
    }
  },
};

const HELP = `
Starts each agent the way a launch does, offline, in a temporary home and repository, and checks that the rules are enforced.
Takes about a minute. The result is recorded for --require-proof and doctor. Guarantees:
  ${GUARANTEE_IDS.join(" ")}
Exits with 0 when none fails, 1 otherwise, 127 when a named agent is not installed.

Examples:
  signalbox prove                         every installed agent
  signalbox prove claude --json
  signalbox prove codex --require deny,parallel,bypass-flag
  signalbox prove --only own-deny-rule
  signalbox prove --faults                the table of docs/fault-matrix.md`;

const paint: Paint = (verdict, text) => styleText(COLOURS[verdict], text, { stream: process.stdout });

const COLOURS = { PASS: "green", FAIL: "red", INCONCLUSIVE: "yellow" } as const;

function guaranteesIn(text: string | undefined, where: string): readonly GuaranteeId[] {
  const names = (text ?? "").split(",").map((name) => name.trim());
  return names
    .filter((name) => name !== "")
    .map((name) => {
      if (isGuarantee(name)) return name;
      throw new UserError(`unknown guarantee: ${name}`, {
        where,
        fix: `use any of ${GUARANTEE_IDS.join(", ")}`,
      });
    });
}

async function showFaults(agents: Parameters<typeof faultLines>[0], json: boolean): Promise<number> {
  if (json) printJson({ agents });
  else {
    const agentFacts = await Promise.all(PROVABLE.map(offlineOf));
    const wording = { command: "signalbox prove --faults", means: agentFacts.map(({ bareHook }) => bareHook.means) };
    process.stdout.write(`${faultLines(agents, wording).map(printable).join("\n")}\n`);
  }
  return agents.every(({ faults }) => faults.every(({ guarded }) => guarded === "blocked")) ? EXIT.ok : EXIT.failed;
}
