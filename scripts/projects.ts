// Installs, builds, tests and commits real projects, uncontained and inside the sandbox, and prints one table.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findProgram } from "../src/lib/path/find-program.ts";
import { fetchSource, makeWorkspace } from "./projects/fetch-source.ts";
import { commandsNotAllowed } from "./projects/judge-commands.ts";
import { NAMED_PROJECTS, type NamedProject, STEPS } from "./projects/named-projects.ts";
import { projectEnvironment } from "./projects/run-outside.ts";
import { throwAwayPolicy } from "./projects/throw-away-policy.ts";
import { runSteps, type StepResult } from "./projects/run-steps.ts";

const USAGE = `usage: npm run projects -- [--inside] [--only NAME,NAME] [--prefix WORDS] [--folder FOLDER] [--skip-outside]

Installs, builds, tests and commits real projects. Sources are downloaded first, outside the sandbox.
--inside        also run everything with \`signalbox sandbox --\`, and judge each command as contained
--only NAMES    only these projects
--prefix WORDS  run inside with these words before \`bash -c COMMAND\` instead
--folder FOLDER where to work (default: a folder for temporary files); it is left there
--skip-outside  do not run the commands outside`;

const SIGNALBOX = join(import.meta.dirname, "../bin/signalbox");

interface Run {
  readonly project: NamedProject;
  readonly version: string;
  readonly place: "outside" | "inside";
  readonly results: readonly StepResult[];
  /** Undefined where nothing is judged. */
  readonly notAllowed?: readonly string[];
}

const { values } = parseArgs({
  options: {
    inside: { type: "boolean", default: false },
    only: { type: "string" },
    prefix: { type: "string" },
    folder: { type: "string" },
    "skip-outside": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

async function runProjects(folder: string): Promise<void> {
  const runs: Run[] = [];
  const skipped: string[] = [];
  const prefix = values.prefix?.split(" ") ?? [SIGNALBOX, "sandbox", "--"];
  const only = values.only?.split(",");
  process.env["SIGNALBOX_HOME"] = await throwAwayPolicy(folder);
  for (const project of NAMED_PROJECTS.filter(({ name }) => only?.includes(name) ?? true)) {
    const missing = project.needs.filter(
      (program) => findProgram(program, projectEnvironment()["PATH"] ?? "") === undefined,
    );
    if (missing.length > 0) {
      skipped.push(`${project.name}: ${missing.join(", ")} not installed`);
      continue;
    }
    const source = fetchSource(project, folder);
    const { version } = source;
    if (!values["skip-outside"]) {
      const workspace = makeWorkspace(source, project, folder);
      runs.push({ project, version, place: "outside", results: await runSteps(project, workspace, []) });
    }
    if (values.inside || values.prefix !== undefined) {
      const workspace = makeWorkspace(source, project, folder);
      const commands = project.commands.map(([, command]) => command);
      const notAllowed = commandsNotAllowed(commands, SIGNALBOX, workspace);
      runs.push({ project, version, place: "inside", notAllowed, results: await runSteps(project, workspace, prefix) });
    }
    console.error(`${project.name} done`);
  }
  report(runs, skipped);
}

function report(runs: readonly Run[], skipped: readonly string[]): void {
  const head = ["project", "version", "language", "place", ...STEPS, "judged"];
  const rows = runs.map((run) => [
    run.project.name,
    run.version,
    run.project.language,
    run.place,
    ...STEPS.map((step) => cell(run, step)),
    run.notAllowed === undefined ? "–" : run.notAllowed.length === 0 ? "allow" : `${run.notAllowed.length} not allowed`,
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  for (const row of [head, widths.map((width) => "-".repeat(width)), ...rows])
    console.log(`| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  for (const place of ["outside", "inside"] as const) {
    const there = runs.filter((run) => run.place === place);
    if (there.length > 0) console.log(`${place}: ${there.filter(succeeded).length} of ${there.length} projects`);
  }
  for (const line of skipped) console.log(`skipped ${line}`);
  for (const run of runs) {
    for (const { step, command, ended, tail } of run.results.filter((result) => result.ended !== 0))
      console.log(`\n${run.project.name} ${step} ${run.place}: ${ended}\n$ ${command}\n${tail}`);
    for (const line of run.notAllowed ?? []) console.log(`\n${run.project.name} judged ${line}`);
  }
  process.exitCode = runs.length > 0 && runs.every(succeeded) ? 0 : 1;
}

function cell({ project, results }: Run, step: StepResult["step"]): string {
  const result = results.find((candidate) => candidate.step === step);
  if (result !== undefined) return `${result.ended} in ${result.seconds.toFixed(1)} s`;
  return project.commands.some(([name]) => name === step) ? "not run" : "–";
}

const succeeded = ({ project, results, notAllowed }: Run) =>
  results.length === project.commands.length &&
  results.every(({ ended }) => ended === 0) &&
  (notAllowed ?? []).length === 0;

if (values.help) console.log(USAGE);
else {
  if (values.folder !== undefined) mkdirSync(values.folder, { recursive: true });
  const folder = realpathSync(values.folder ?? mkdtempSync(join(tmpdir(), "signalbox-projects-")));
  try {
    await runProjects(folder);
  } finally {
    if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
