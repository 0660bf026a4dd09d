import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ForeignRule, ForeignRules, ForeignVerdict, RuleSubject, TriedCall } from "../../contract/foreign-rule.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { jsonIfValid } from "../../lib/json/parse-json.ts";
import { shWord } from "../../lib/text/shell-words.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { AskedProgram, ImportFiles, RuleImport } from "../pack/rule-import.ts";
import { decisionOf, LISTS, shown, wordsOf } from "./own-rules.ts";
import { readRulesFile, type RuleCall } from "./rules-file.ts";
import { codexHome } from "./settings.ts";

export const ruleImport: RuleImport = {
  checkedBy: "codex execpolicy check",
  folders: ({ env, cwd, workspace, repository }) => ({
    files: [],
    below: [[join(repository ? join(workspace, ".codex") : codexHome(env, cwd), "rules"), ".rules"]],
  }),
  read,
  ask,
};

function read(files: ImportFiles): ForeignRules {
  const rules = files.flatMap(({ path, text }) => {
    const { calls, refused } = readRulesFile(text);
    return [
      ...calls.map((call) => ruleOf(call, path)),
      ...refused.map(({ text: shownText, line, mayRestrict }): ForeignRule => ({
        verdict: mayRestrict ? "deny" : "allow",
        text: shownText,
        where: `${path}:${line}`,
        subject: { kind: "none", because: NOT_LITERAL, isLost: mayRestrict },
      })),
    ];
  });
  return { files, rules };
}

const NOT_LITERAL = "only calls with literal arguments are read, no loops, variables or functions";

function ruleOf(call: RuleCall, path: string): ForeignRule {
  const decision = decisionOf(call);
  const known = typeof decision === "string" && Object.hasOwn(LISTS, decision) ? LISTS[decision] : undefined;
  const subject: RuleSubject =
    known === undefined
      ? { kind: "none", because: "its decision is none of allow, prompt and forbidden", isLost: true }
      : subjectOf(call, known);
  return { verdict: known ?? "deny", text: shown(call), where: `${path}:${call.line}`, subject };
}

function subjectOf({ name, values }: RuleCall, verdict: ForeignRule["verdict"]): RuleSubject {
  if (name === "host_executable") return { kind: "none", because: "it only says where a program is" };
  if (name === "network_rule") {
    const host = values["host"];
    if (typeof host !== "string") return { kind: "none", because: "it names no host", isLost: verdict !== "allow" };
    const wider = verdict === "ask" ? "a policy does not ask about a host, so it is denied" : undefined;
    return { kind: "host", host: host.toLowerCase(), wider };
  }
  const pattern = wordsOf(values["pattern"]);
  if (pattern?.kind !== "words")
    return { kind: "none", because: "its pattern is not a list of words", isLost: verdict !== "allow" };
  return {
    kind: "command",
    argv: pattern.words,
    exact: false,
    match: examples(values["match"]),
    notMatch: examples(values["not_match"]),
  };
}

/** An example is a command line or an argv. */
function examples(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((example: unknown) => {
    if (typeof example === "string") return [example];
    const words = strings(example);
    return words === undefined ? [] : [words.map(shWord).join(" ")];
  });
}

/** Only plain commands: `execpolicy check` takes an argv, and knows nothing of shells, files and hosts. */
async function ask(
  calls: readonly TriedCall[],
  { files }: ForeignRules,
  { words, folder, env, signal, tell }: AskedProgram,
): Promise<readonly ForeignVerdict[]> {
  const rules = files.flatMap(({ text }, index) => {
    const copy = join(folder, `${index}.rules`);
    writeFileSync(copy, text);
    return ["--rules", copy];
  });
  const answers: ForeignVerdict[] = calls.map(() => undefined);
  const left = [...calls.entries()];
  let done = 0;
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, { argv }] = next;
      tell(`${++done} of ${calls.length} calls`);
      if (argv === undefined) continue;
      const [program, ...before] = words;
      const flags = [...before, "execpolicy", "check", ...rules, "--", ...argv];
      answers[index] = await answerOf(program, flags, { cwd: folder, env: { ...env, HOME: folder }, signal });
    }
  };
  await Promise.all([work(), work()]);
  return answers;
}

const MAX_MS = 30_000;

const MAX_SHOWN = 300;

function answerOf(
  program: string,
  flags: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<ForeignVerdict> {
  return new Promise((resolve, reject) => {
    execFile(program, flags, { ...place, timeout: MAX_MS }, (error, stdout, stderr) => {
      const answer = jsonIfValid(stdout);
      if (error !== null || !isRecord(answer))
        return reject(
          new UserError(`Codex cannot read these rules: ${shortLine(stderr, MAX_SHOWN)}`, {
            fix: "fix the file until codex execpolicy check accepts it",
            exitCode: EXIT.failed,
            cause: error,
          }),
        );
      const decision = answer["decision"];
      return resolve(
        typeof decision === "string" && Object.hasOwn(LISTS, decision) ? LISTS[decision] : ("none" as const),
      );
    });
  });
}
