import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ScriptInput } from "../../src/models/scripted/script.ts";
import { startScriptedModel } from "../../src/models/scripted/server.ts";
import { repositoryWith } from "./git-repository.ts";
import { signalbox } from "./run-signalbox.ts";
import { tempFolder } from "./temp-folder.ts";

/** A task that would do harm wherever it became part of a command. */
export const HOSTILE = `it's "this" \`id\` $(touch pwned)\n; touch pwned; {{repo_path}} \${HOME} \\`;

/** A small project whose tests are a shell script: `sum.sh` must add. */
export const SUM = {
  Makefile: ".PHONY: test\ntest:\n\tsh test/sum.test.sh\n",
  "sum.sh": "echo $(($1 - $2))\n",
  "test/sum.test.sh": '[ "$(sh sum.sh 2 3)" = 5 ] || { echo "2 + 3 is not 5"; exit 1; }\n',
};

type Scene = NonNullable<ScriptInput["scenes"]>[number];

/** What the model does when it is told something: shell commands, then an answer. */
export const told = (contains: string, shell: readonly string[], text: string): Scene => ({
  when: { contains },
  turns: [...shell.map((command) => ({ shell: command })), { text }],
});

export const approve = told("Review this change", [], '{"verdict": "approve", "findings": []}');

interface StepRow {
  readonly step_id: string;
  readonly status: string;
  readonly output: string;
  readonly error: string;
}

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
  readonly success: boolean;
  readonly context: Readonly<Record<string, unknown>>;
  /** The steps by id. */
  readonly steps: Readonly<Record<string, StepRow>>;
  /** What the last step printed. */
  readonly report: string;
}

/** A repository with these files, a model that plays the scenes, and a way to run recipes there by name with native. */
export async function bundledScene(files: Readonly<Record<string, string>>, scenes: readonly Scene[] = []) {
  const server = await startScriptedModel({
    script: { scenes: [...scenes, { turns: [{ text: "unexpected prompt" }] }] },
  });
  onTestFinished(() => server.close());
  const [cwd, home] = [repositoryWith(files), tempFolder()];
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Test\n\temail = test@example.invalid\n");
  const env = { HOME: home, SIGNALBOX_MODEL: "compatible/m", SIGNALBOX_BASE_URL: `${server.url}/v1` };
  const recipe = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    signalbox(["recipe", ...args], { cwd, env: { ...env, ...more } });
  const run = async (name: string, context: Readonly<Record<string, string>> = {}, more: NodeJS.ProcessEnv = {}) => {
    const values = Object.entries(context).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    const { code, stdout, stderr } = await recipe(["run", name, "--agent", "native", "--json", ...values], more);
    const result = JSON.parse(stdout);
    const rows: readonly StepRow[] = result.step_results;
    const ended: Ended = {
      code,
      stderr,
      success: result.success,
      context: result.context,
      steps: Object.fromEntries(rows.map((row) => [row.step_id, row])),
      report: rows.at(-1)?.output ?? "",
    };
    return ended;
  };
  /** What the model was asked, as one text. */
  const asked = () => JSON.stringify(server.requests.map(({ body }) => body));
  return { cwd, home, env, recipe, run, asked };
}
