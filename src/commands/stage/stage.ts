import type { Command } from "commander";
import { AGENTS } from "../../agents/packs.ts";
import { compilePolicy } from "../../guard/policy/active-policy.ts";
import { EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { printable } from "../../lib/text/printable.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { type Applied, applyWanted, readManifest } from "../../staging/apply.ts";
import type { Manifest } from "../../staging/manifest.ts";
import { checkEntry, checkStaged, disarmed, remedies, type StagedFault } from "../../staging/check-staged.ts";
import { writeEntry } from "../../staging/entry.ts";
import { planStage, type StageRequest } from "../../staging/plan-stage.ts";
import { HOOKED_AGENTS, STAGED, STAGED_AGENTS } from "../../staging/sources/staged-agents.ts";
import { carryTrust, repositoryHere, stagedAgents } from "./staging-place.ts";
import { printJson } from "../flags.ts";
import type { CommandModule } from "../command-module.ts";

export const command: CommandModule = {
  firstWords: () => STAGED_AGENTS,

  configure(stage: Command) {
    stage
      .argument(
        "[agents...]",
        `the agents: ${STAGED_AGENTS.join(", ")}; default: those staged before, else ${HOOKED_AGENTS.join(", ")}`,
      )
      .option("--check", "write nothing; exit with 1 if something is missing, outdated or disabled")
      .option("--required", "deny tool calls on machines without signalbox")
      .option("--no-required", "on machines without signalbox, only warn once a day")
      .option("--xpia", "also place the historical entry points of the guard in .claude/tools/xpia/hooks")
      .option("--no-xpia", "remove those entry points")
      .option("--json", "print the result as JSON")
      .addHelpText("after", HELP);
  },

  async run({ words, flags }) {
    const place = repositoryHere();
    const manifest = readManifest(place.root);
    const named = stagedAgents(words);
    if (flags["check"] === true && manifest === undefined && named.length === 0)
      throw new UserError("nothing is staged here", {
        where: place.root,
        fix: "run: signalbox stage",
        exitCode: EXIT.failed,
      });
    const request = (known: Manifest | undefined): StageRequest => {
      const before = known?.agents ?? [];
      const agents = named.length === 0 && before.length === 0 ? HOOKED_AGENTS : [...before, ...named];
      const required = typeof flags["required"] === "boolean" ? flags["required"] : (known?.required ?? false);
      const xpia = typeof flags["xpia"] === "boolean" ? flags["xpia"] : known?.xpia === true;
      return { ...place, env: process.env, agents, required, xpia };
    };
    const json = flags["json"] === true;
    return flags["check"] === true ? check(request(manifest), named, json) : await stage(place, request, json);
  },
};

async function stage(
  place: { readonly root: string; readonly home: string },
  request: (manifest: Manifest | undefined) => StageRequest,
  json: boolean,
): Promise<number> {
  using _trust = carryTrust(place);
  const { plan, ...applied } = await applyWanted(place, (manifest) => planStage(request(manifest)));
  const entry = writeEntry(place.home);
  compile(place);
  const failed = [
    ...applied.kept.map(({ path, because }) => `${path}: ${because}`),
    ...plan.problems,
    ...disarmed(place.root).map(({ place, because }) => `${place}: ${because}`),
  ];
  const { agents, required, notes: given } = plan;
  if (json) printJson({ ...applied, agents, required, entry, notStaged: failed, notes: given });
  else {
    process.stdout.write(printable(doneLines(applied, entry).join("\n")));
    for (const line of failed) say(`not staged: ${line}`);
    for (const line of given) say(line);
    if (failed.length === 0) process.stdout.write(`\n${agentNotes(agents).join("\n")}\n`);
  }
  return failed.length === 0 ? EXIT.ok : EXIT.failed;
}

function doneLines({ written, deleted }: Applied, entry: boolean): readonly string[] {
  const lines = [
    ...written.map((path) => `wrote    ${path}`),
    ...deleted.map((path) => `removed  ${path}`),
    ...(entry ? ["wrote    the entry of this machine (bin/hook in the signalbox folder)"] : []),
  ];
  return lines.length === 0 ? ["Already staged; nothing was written.", ""] : [...lines, ""];
}

function agentNotes(agents: readonly string[]): readonly string[] {
  return [
    ...agents.flatMap((agent) => STAGED.find(({ name }) => name === agent)?.surfaces.note ?? []),
    "Commit these files together with .signalbox/staged.json. Repository hooks run only where the user trusts them: signalbox trust",
  ];
}

/** The staged hooks read the compiled policy. Report a broken one now rather than at the first call. */
function compile({ home, root }: { readonly home: string; readonly root: string }): void {
  try {
    compilePolicy(home, root);
  } catch (error) {
    say(`the policy does not compile, so every call will be blocked: ${messageOf(error)}`);
  }
}

function check(request: StageRequest, named: readonly string[], json: boolean): number {
  const faults = checkStaged(request).filter(
    ({ agent }) => named.length === 0 || agent === undefined || named.includes(agent),
  );
  if (json) printJson({ ok: faults.length === 0, faults });
  else if (faults.length === 0) process.stdout.write("Everything is staged and up to date.\n");
  else process.stdout.write(`${printable(faults.map(faultLine).join("\n"))}\n`);
  const agents = new Set(faults.flatMap(({ agent }) => agent ?? []));
  if (!json) for (const agent of agents) process.stdout.write(`fix for ${agent}: ${remedies(agent)}\n`);
  if (!json && faults.length > 0 && agents.size === 0) process.stdout.write("fix: run: signalbox stage\n");
  // Not a problem of the repository: a machine that only checks, such as CI, needs no entry.
  for (const { place, because } of checkEntry(request.home)) say(`${because} (${place}); signalbox stage writes it`);
  return faults.length === 0 ? EXIT.ok : EXIT.failed;
}

function faultLine({ agent, surface, event, place, because }: StagedFault): string {
  const title = AGENTS.find(({ name }) => name === agent)?.title;
  const what = surface === "hooks" && event !== undefined ? `hook ${event}` : surface;
  return `${[title, what].filter((word) => word !== undefined).join(", ")}${title === undefined ? "" : ": "}${place}: ${because}`;
}

const HELP = `
Installs the hooks, agents, skills, commands, instructions and MCP servers of .signalbox/ where the agents look for
them. Your own content in those files is preserved. See docs/staging.md.

Exit codes: 0 staged, or up to date; 1 something could not be staged, or --check found a problem.

Examples:
  signalbox stage                     for Claude Code, Copilot CLI and Codex
  signalbox stage claude --required   for Claude Code; deny on machines without signalbox
  signalbox stage --xpia              also .claude/tools/xpia/hooks/pre_tool_use.py, for programs that call it
  signalbox stage --check             in CI: is everything in place?`;
