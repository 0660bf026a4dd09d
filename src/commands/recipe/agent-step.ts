import { isLoginError } from "../../agents/pack/records.ts";
import { type RunSetup, type RunSetting, type RunStep, USUAL_LIMITS } from "../../receipts/run/run-setup.ts";
import { runWorkOrder } from "../../receipts/run/run-work-order.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { findPersona, type PersonaSearch } from "../../recipes/recipe/find-recipe.ts";
import type { AgentOutcome, AgentRequest } from "../../recipes/run/run-parts.ts";
import { sessionPolicy } from "../active-policy.ts";
import { textFlag } from "../flags.ts";
import { chooseHost } from "../run/host.ts";
import { screenedMachine } from "../screened-machine.ts";
import { orderOf } from "../run/order.ts";

/** Runs agent steps as work orders, each with a receipt. `deniedTools` are tools that no agent of this run may use. */
export const agentRunner =
  (flags: Readonly<Record<string, unknown>>, setting: RunSetting, personas: PersonaSearch) =>
  (deniedTools: readonly string[]) =>
  async (request: AgentRequest, signal: AbortSignal): Promise<AgentOutcome> => {
    const persona = request.persona === undefined ? undefined : findPersona(request.persona, personas);
    if (request.persona !== undefined && persona === undefined)
      say(`${request.step}: there is no agent file for '${request.persona}', so the prompt is used alone`);
    const hostFlags = {
      backend: request.backend || textFlag(flags, "agent"),
      json: true,
      requireSandbox: flags["requireSandbox"],
      policy: flags["policy"],
      preset: flags["preset"],
      ...(request.model === undefined ? {} : { model: request.model }),
    };
    const host = await chooseHost([], hostFlags);
    const prompt = persona === undefined ? request.prompt : `${persona}\n\n---\n\n${request.prompt}`;
    const order = agentOrder(prompt, request, host.name, deniedTools);
    const parts: RunSetup = {
      ...setting,
      agent: host.name,
      openHost: host.openHost,
      cwd: request.folder,
      policy: sessionPolicy(flags, request.folder),
      world: screenedMachine,
      // The recipe runs its checks itself: judged and contained, like all its commands.
      accept: [],
      limits: {
        ...USUAL_LIMITS,
        maxBudgetUsd: request.maxBudgetUsd ?? null,
        ...(request.timeoutSeconds === undefined ? {} : { wallMs: request.timeoutSeconds * 1000 }),
      },
      signal,
    };
    return await follow(runWorkOrder(order, parts));
  };

const MAX_TASK = 90_000;

/** A prompt that is too long for a task becomes a snippet. */
function agentOrder(
  prompt: string,
  { folder, model, maxBudgetUsd }: AgentRequest,
  host: string,
  deniedTools: readonly string[],
): WorkOrder {
  const isLong = Buffer.byteLength(prompt) > MAX_TASK;
  const flags = {
    root: folder,
    denyTool: deniedTools,
    ...(model === undefined ? {} : { model }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd: maxBudgetUsd.toFixed(6) }),
  };
  const order = orderOf(isLong ? 'Do what the snippet "task" says.' : prompt, flags, host);
  return isLong ? { ...order, context: { files: [], snippets: [{ name: "task", content: prompt }] } } : order;
}

/** The agent's last answer, and how the run ended. */
async function follow(steps: AsyncGenerator<RunStep>): Promise<AgentOutcome> {
  let text = "";
  let streamed = "";
  let outcome: AgentOutcome = {
    ok: false,
    text: "",
    because: "the agent did not finish",
    costUsd: 0,
    runId: undefined,
  };
  for await (const step of steps) {
    if (step.type === "run-end") {
      const { exitCode, because, runId, receipt } = step;
      const costUsd = Number(receipt.usage.estimated_cost_usd ?? 0);
      const ok = exitCode === EXIT.ok;
      outcome = { ok, text: text || streamed, because, costUsd, runId, isFinal: !ok && isLoginError(because) };
    }
    if (step.type !== "event") continue;
    const { event } = step;
    if (event.type === "assistant_delta") streamed += event.text;
    if (event.type === "tool_call") streamed = "";
    if (event.type === "assistant_message" && event.text !== "") text = event.text;
  }
  return outcome;
}
