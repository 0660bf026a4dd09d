import { setTimeout as sleep } from "node:timers/promises";
import { gitTop } from "../../lib/path/workspace.ts";
import { fillText } from "../language/text-template.ts";
import type { Context, Step } from "../recipe/recipe.ts";
import type { AgentOutcome, AgentRequest, RecipeParts, Scope } from "./run-parts.ts";
import { stepFolder, stepSeconds } from "./shell-step.ts";
import { extractJson, failedOutcome, outcomeOfOutput, type StepOutcome } from "./step-result.ts";

const ONLY_JSON = "\n\nReturn only valid JSON, without any other text.";

/** Gives the prompt to the agent. When the answer is not the JSON that was asked for, it is asked once more. */
export async function agentStep(step: Step, context: Context, scope: Scope, key: string): Promise<StepOutcome> {
  const request: AgentRequest = {
    prompt: fillText(step.prompt ?? "", context),
    persona: step.agent,
    model: step.model === undefined ? undefined : fillText(step.model, context),
    folder: stepFolder(step, context, scope),
    timeoutSeconds: stepSeconds(step, scope),
    backend: step.backend === undefined ? undefined : fillText(step.backend, context),
    maxBudgetUsd: undefined,
    step: key,
  };
  const stages = (step.autoStage ?? true) && scope.run.parts.options.autoStage;
  if (stages) await recordBefore(request.folder, scope.run.parts);
  const first = await askAgent(request, scope);
  if (!first.ok) return { ...failedOutcome(first.because, first.text), isFinal: first.isFinal === true };
  const isMissing = step.parseJson && first.text.trim() !== "" && extractJson(first.text) === undefined;
  const second = isMissing ? await askAgent({ ...request, prompt: `${request.prompt}${ONLY_JSON}` }, scope) : first;
  if (stages) await stageChanges(key, request.folder, scope.run.parts);
  return outcomeOfOutput(step, (second.ok ? second : first).text.trimEnd());
}

/** One call of an agent, within what is left of the budget. */
export async function askAgent(request: AgentRequest, scope: Scope): Promise<AgentOutcome> {
  const { parts, spent, oneAgent } = scope.run;
  return await oneAgent(async () => {
    const left = scope.usd === undefined ? undefined : scope.usd - spent.usd;
    if (left !== undefined && left <= 0)
      return {
        ok: false,
        text: "",
        because: `the budget of ${scope.usd} USD is used up`,
        isFinal: true,
        costUsd: 0,
        runId: undefined,
      };
    const outcome = await parts.runAgent({ ...request, maxBudgetUsd: left }, parts.signal);
    spent.usd += outcome.costUsd;
    if (outcome.runId !== undefined) parts.journal.receipt(request.step, outcome.runId);
    return outcome;
  });
}

type RunAgent = RecipeParts["runAgent"];

/** How providers and agents say that somebody asked too often. */
const RATE_LIMITED = /\brate.?limit|too many requests|\b429\b|\breset in\b/i;

/**
 * Repeats an agent step that its provider refused for asking too often, after a minute and then twice as long each time.
 * The ancestor's variables change how often and how long.
 */
export function withRateLimit(
  runAgent: RunAgent,
  env: Readonly<Record<string, string | undefined>>,
  warn: (text: string) => void,
): RunAgent {
  const times = numberIn(env["AMPLIHACK_RATELIMIT_MAX_RETRIES"], 5, 100);
  const base = numberIn(env["AMPLIHACK_RATELIMIT_BASE_DELAY_SECS"], 60, 3600);
  const longest = numberIn(env["AMPLIHACK_RATELIMIT_MAX_DELAY_SECS"], 600, 3600);
  return async (request, signal) => {
    let costUsd = 0;
    for (let attempt = 0; ; attempt++) {
      const outcome = await runAgent(request, signal);
      costUsd += outcome.costUsd;
      if (attempt >= times || signal.aborted || !isRateLimited(outcome)) return { ...outcome, costUsd };
      const wait = Math.min(base * 2 ** attempt, longest);
      warn(`${request.step}: the provider limits the rate of requests; trying again in ${wait} s`);
      await sleep(wait * 1000, undefined, { signal }).catch(() => undefined);
    }
  };
}

const isRateLimited = ({ ok, because, text }: AgentOutcome) => !ok && RATE_LIMITED.test(`${because}\n${text}`);

/** A whole number from 0 to `max`, or the usual one. */
const numberIn = (text: string | undefined, usual: number, max: number): number =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Math.min(Number(text), max) : usual;

/** Writes all files that git does not ignore as a tree object, without touching the index. */
const TREE = `place=$(mktemp -d) || exit 1
cp "$(git rev-parse --git-path index)" "$place/index" 2>/dev/null
export GIT_INDEX_FILE="$place/index"
git add -A && git write-tree
status=$?
rm -rf "$place"
exit $status`;

/**
 * Adds what differs from the tree before, or from the last one, of which a step may have taken something back. Nothing
 * else is added. A path may be gone, or have been untracked.
 */
const STAGE = `now=$(${TREE}) || exit 1
for tree in {{before}} {{last}}; do
  git diff --no-ext-diff --no-renames --name-only -z "$tree" "$now"
done | git update-index --add --remove --replace -z --stdin && echo "$now"`;

const TREE_ID = /^[0-9a-f]{40,64}$/;

const STAGE_SECONDS = 60;

/**
 * Records what the repository of a folder has now, unless this run has done so before. Only what changes afterwards is
 * staged.
 */
export async function recordBefore(folder: string, parts: RecipeParts): Promise<void> {
  const top = gitTop(folder)?.folder;
  if (!parts.options.autoStage || top === undefined || parts.journal.treesOf(top) !== undefined) return;
  const tree = await output({ command: TREE, context: {}, folder: top, step: "auto_stage" }, parts);
  if (tree !== undefined && TREE_ID.test(tree)) parts.journal.tree(top, tree);
}

/** Stages what this run has changed in the repository of a folder. */
async function stageChanges(step: string, folder: string, parts: RecipeParts): Promise<void> {
  const top = gitTop(folder)?.folder;
  if (top === undefined) return;
  const trees = parts.journal.treesOf(top);
  const now = trees && (await output({ command: STAGE, context: { ...trees }, folder: top, step }, parts));
  if (now !== undefined && TREE_ID.test(now)) return parts.journal.tree(top, now);
  parts.report({ type: "warning", message: `the changes of ${step} were not staged` });
}

interface OwnCommand {
  readonly command: string;
  readonly context: Context;
  readonly folder: string;
  readonly step: string;
}

/** What a command of ours printed, or undefined if it failed. */
async function output(own: OwnCommand, { runShell, signal }: RecipeParts): Promise<string | undefined> {
  const request = { ...own, env: {}, timeoutSeconds: STAGE_SECONDS, place: "inside", isOurs: true } as const;
  const ended = await runShell(request, signal);
  return ended.type === "ended" && ended.code === 0 ? ended.stdout.trim() : undefined;
}
