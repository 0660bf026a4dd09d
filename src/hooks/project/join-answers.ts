import type { HookAnswer } from "../../contract/hook-event.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { isStricter } from "../../guard/judge/judge.ts";
import type { HookResult } from "./find-hooks.ts";
import { endsTurn, readSaid } from "./hook-io.ts";

/** In our own launches the strictest answer wins; elsewhere, the order that the ancestor documented. */
export type JoinMode = "strictest" | "documented";

/** Joins the answers of the guard and the hooks to a tool call. A failed hook denies, whatever the others answer. */
export function joinToolAnswers(guard: HookAnswer, results: readonly HookResult[], mode: JoinMode): HookAnswer {
  if (guard.verdict === "deny") return guard;
  const read = results.map((result) => readResult(result, mode));
  const input = changedInput(read);
  const context = joined([guard.context, ...read.map((answer) => answer.context)]);
  const failed = read.find((answer) => answer.failed);
  const decided = failed ?? (mode === "strictest" ? strictest([guard, ...read]) : documented(guard, read));
  return {
    ...decided,
    ...(input === undefined ? {} : { input }),
    ...(context === undefined ? {} : { context }),
  };
}

interface Read extends HookAnswer {
  readonly failed: boolean;
  readonly xpia: boolean;
}

function readResult(result: HookResult, mode: JoinMode): Read {
  const { name, origin } = result.hook;
  const xpia = origin === "xpia";
  const denied = (because: string, failed: boolean): Read => ({ verdict: "deny", because, failed, xpia });
  if ("failed" in result) return denied(`the hook ${name} failed, so the call is blocked: ${result.failed}`, true);
  const { blocks, unclear, ...answer } = readSaid(result.said);
  if (unclear !== undefined) return denied(`the hook ${name} failed: ${unclear}`, true);
  if (blocks || endsTurn(result.said))
    return { ...answer, ...denied(answer.because ?? `blocked by the hook ${name}`, false) };
  // A repository cannot approve its own calls: its `allow` only means no objection, and never skips an approval.
  if (answer.verdict === "allow" && origin !== "home" && mode === "strictest") {
    const { verdict: _, ...rest } = answer;
    return { ...rest, failed: false, xpia };
  }
  return {
    because: answer.verdict === "allow" ? undefined : `decided by the hook ${name}`,
    ...answer,
    failed: false,
    xpia,
  };
}

/** XPIA hooks win over the project's own; within each group the strictest wins. A hook cannot override the guard. */
function documented(guard: HookAnswer, read: readonly Read[]): HookAnswer {
  const spoken = (xpia: boolean) => strictest(read.filter((answer) => answer.xpia === xpia));
  const first = spoken(true);
  const hooks = first.verdict === undefined ? spoken(false) : first;
  return guard.verdict === undefined ? hooks : strictest([guard, hooks]);
}

function strictest(answers: readonly HookAnswer[]): HookAnswer {
  let verdict: Verdict | undefined;
  let because: string | undefined;
  for (const answer of answers)
    if (answer.verdict !== undefined && (verdict === undefined || isStricter(answer.verdict, verdict)))
      ({ verdict, because } = answer);
  return verdict === undefined ? {} : { verdict, ...(because === undefined ? {} : { because }) };
}

/** Applies changed arguments in hook order. */
function changedInput(read: readonly HookAnswer[]): HookAnswer["input"] {
  const changes = read.flatMap(({ input }) => (input === undefined ? [] : [input]));
  return changes.length === 0 ? undefined : Object.assign({}, ...changes);
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined);
  return present.length === 0 ? undefined : present.join("\n\n");
}

/** Joins the answers to any other event: texts are concatenated, the first refusal wins. The caller handles failed hooks. */
export function joinOtherAnswers(results: readonly HookResult[]): HookAnswer {
  const read = results.flatMap((result) =>
    "failed" in result ? [] : [{ ...readSaid(result.said), hook: result.hook }],
  );
  const context = joined(read.map((answer) => answer.context));
  const refusal = read.find((answer) => answer.blocks);
  return {
    ...(context === undefined ? {} : { context }),
    ...(refusal === undefined ? {} : { block: refusal.because ?? `blocked by the hook ${refusal.hook.name}` }),
  };
}

/** Why an agent may not stop. A failed stop hook refuses once, by name. `again`: a stop was already refused. */
export function refusedStop(results: readonly HookResult[], again: boolean): string | undefined {
  const failure = results.find((result) => "failed" in result);
  const failed =
    failure !== undefined && "failed" in failure && !again
      ? `the stop hook ${failure.hook.name} failed: ${failure.failed}`
      : undefined;
  return joinOtherAnswers(results).block ?? failed;
}
