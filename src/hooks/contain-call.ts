import type { HookAnswer, ToolBefore } from "../contract/hook-event.ts";
import type { Policy } from "../contract/policy.ts";
import type { Decision } from "../contract/verdict.ts";
import { findDialect } from "../agents/find-dialect.ts";
import { toolKind } from "../guard/judge/tool-call.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import type { HookContext, HookSettings } from "./hook-context.ts";
import type { JudgedCall } from "./judge-call.ts";
import { sessionRecipe, withoutPlanted } from "./outside-call.ts";

/** A judged call, and where it will run if it is allowed. */
export interface PlacedCall extends JudgedCall {
  readonly inside: boolean;
  /** Why the agent must see the call as the model wrote it, if it must. */
  readonly leftToAgent?: string | undefined;
}

/**
 * Rewrites a shell command that was not denied, so that it runs in the session's sandbox. Without an objection the answer
 * is `allow`, because the agent's own rules do not know the rewritten text. The same holds for a command that a rule of
 * the policy lets run outside: the agent's own rules were held before.
 */
export async function containCall(
  event: ToolBefore,
  { answer, decision, policy, inside, leftToAgent }: PlacedCall,
  { settings, session, questions }: Pick<HookContext, "settings" | "session" | "questions">,
): Promise<HookAnswer> {
  if (answer.verdict === "deny" || toolKind(event.tool) !== "shell") return answer;
  if (settings.sandbox === undefined || decision === undefined || !inside)
    return requiresSandbox(settings, policy) ? requiredDenial(settings, leftToAgent) : answer;
  const call = commandIn(answer.input ?? event.input);
  if (call === undefined) return denied("this tool's command cannot run in the session's sandbox");
  const { command, input } = call;
  const verdict = answer.verdict ?? "allow";
  if (runsOutside(decision)) {
    session?.noteOutside(command);
    return outside({ ...answer, verdict }, call, { settings, policy, cwd: event.cwd });
  }
  session?.noteCaller(command, { session: event.session, agent: settings.agent });
  const words = await wordsBefore(command, decision, { program: settings.sandbox, session });
  if (words instanceof Error) return denied(`what it needs could not be lent: ${words.message}`);
  const rewritten = [...words, command].map(shQuote).join(" ");
  const contained = { ...answer, verdict, contained: true as const, input: { ...input, command: rewritten } };
  return dropsInput(settings, verdict) ? askedLater(contained, rewritten, questions) : contained;
}

type OutsidePlace = Pick<HookContext, "settings"> & Pick<PlacedCall, "policy"> & Pick<ToolBefore, "cwd">;

/**
 * The agent has a safe PATH, but the shell that it starts may read a file that adds to it. A recipe is bound to this
 * session, whatever was exported in the agent's shell.
 */
function outside(
  answer: HookAnswer & { readonly verdict: string },
  { command, input }: NonNullable<ReturnType<typeof commandIn>>,
  { settings, policy, cwd }: OutsidePlace,
): HookAnswer {
  const placed = answer.verdict === "allow" ? { ...answer, contained: true as const } : answer;
  const bound = command.startsWith("signalbox recipe ") ? sessionRecipe(command, settings, cwd) : command;
  if (typeof bound !== "string") return bound;
  const safe = withoutPlanted(bound, [settings.workspace ?? "", ...(policy?.paths.writeRoots ?? [])]);
  const isKept = safe === command || dropsInput(settings, answer.verdict);
  return isKept ? placed : { ...placed, input: { ...input, command: safe } };
}

function commandIn(input: unknown) {
  if (!isRecord(input) || typeof input["command"] !== "string") return undefined;
  return { command: input["command"], input };
}

/** Some agents drop the changed arguments when they ask. */
const dropsInput = ({ agent }: HookSettings, verdict: string) => verdict === "ask" && findDialect(agent).askDropsInput;

/** The agent would drop the rewritten command, and run the approved one outside. So only its second hook asks. */
function askedLater(answer: HookAnswer, command: string, questions: HookContext["questions"]): HookAnswer {
  const { verdict: _, because, ...rest } = answer;
  if (questions === undefined)
    return denied("it needs approval, and this agent can only ask about it outside its sandbox");
  questions.hold(command, because ?? "this needs approval");
  return rest;
}

/** An agent may bring a sandbox of its own. */
function requiresSandbox(settings: HookSettings, policy: Policy | undefined): boolean {
  if (settings.heldByAgent === true) return false;
  return settings.requiresSandbox === true || policy?.sandbox === "workspace" || policy?.sandbox === "strict";
}

interface Lending extends Pick<HookContext, "session"> {
  readonly program: string;
}

async function wordsBefore(
  command: string,
  decision: Decision,
  { program, session }: Lending,
): Promise<readonly string[] | Error> {
  const { needs = [] } = decision;
  if (needs.length === 0) return [program];
  if (session === undefined) return new Error("signalbox does not answer");
  try {
    return await session.lend(needs, command);
  } catch (error) {
    return new Error(messageOf(error));
  }
}

/** True for a rule that keeps a command out of the sandbox, and where approving the call means that it runs outside. */
function runsOutside({ contained, needs = [] }: Decision): boolean {
  return contained === false || needs.some(({ kind }) => kind === "outside");
}

function requiredDenial({ workspace }: HookSettings, leftToAgent: string | undefined): HookAnswer {
  const because = leftToAgent === undefined ? "this session has none" : `the call cannot run in it: ${leftToAgent}`;
  return denied(`a sandbox is required, but ${because}`, workspace === undefined ? NOT_LAUNCHED : RELAX);
}

const RELAX = 'they can set "sandbox: auto" in the policy';
/** Sessions that we did not launch have no sandbox. */
const NOT_LAUNCHED = `${RELAX}, or start the agent with signalbox`;

const denied = (because: string, fix?: string): HookAnswer => ({
  verdict: "deny",
  because: `Blocked, because ${because}. Tell the user${fix === undefined ? "" : `: ${fix}`}.`,
});
