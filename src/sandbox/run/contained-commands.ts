import { type CallContainment, weakerNotice } from "../../contract/agent-call.ts";
import { type ContainmentFacts, uncontained } from "../../contract/seal.ts";
import type { Decision } from "../../contract/verdict.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import type { ContainedSession } from "../contained-session.ts";
import type { NoSandbox } from "../open-session-sandbox.ts";

/** The sandbox of a session's commands, opened when the first one needs it. */
export interface CommandContainment extends AsyncDisposable {
  /** Throws where a sandbox is required and there is none. */
  readonly require: () => Promise<void>;
  /** Opens it while nobody waits. Nothing is said about it until a command needs it. */
  readonly prepare: () => void;
  /** What the judge needs to know about a command; empty when commands are not contained. */
  readonly judged: () => Promise<CallContainment>;
  /** Prepares an allowed or approved command: lends what it needs, or lets it run outside. */
  readonly place: (
    command: string,
    decision: Pick<Decision, "needs" | "contained">,
    caller?: { readonly session: string; readonly agent: string },
  ) => Promise<void>;
  /** The argv that runs a command where it was placed, by default inside. `bare` is the argv without a sandbox. */
  readonly argv: (command: string, bare: readonly string[]) => Promise<CommandArgv>;
  /** What the sandbox has refused since the last call, for the output of the command that has just ended. */
  readonly takeNotes: ContainedSession["takeNotes"];
  /** For the receipt. Undefined as long as no command was judged. */
  readonly facts: () => ContainmentFacts | undefined;
}

interface CommandArgv {
  readonly argv: readonly string[];
  readonly inside: boolean;
}

interface ContainmentParts {
  readonly open: () => Promise<ContainedSession | NoSandbox>;
  readonly recoverable?: CallContainment["recoverable"];
  /** Without a sandbox nothing runs. */
  readonly isRequired: boolean;
  readonly onFirst?: (() => void) | undefined;
  /** Called once, where commands are not contained although the policy would like them to be. */
  readonly warn: (text: string) => void;
}

/** Commands run as they are. */
export const UNCONTAINED: CommandContainment = {
  require: async () => {},
  prepare: () => {},
  judged: async () => ({}),
  place: async () => {},
  argv: async (_, bare) => ({ argv: bare, inside: false }),
  takeNotes: () => [],
  facts: () => undefined,
  async [Symbol.asyncDispose]() {},
};

const nothingRun = ({ containment: { because, fix } }: NoSandbox) =>
  new Error(`nothing was run: a sandbox is required, which does not work here: ${because}. ${fix}`);

/** A workspace that cannot be protected: nothing may run in it without a sandbox, whatever the policy says. */
async function openOrRefuse(open: ContainmentParts["open"]) {
  try {
    return { result: await open(), isRefused: false };
  } catch (error) {
    if (!isUserError(error)) throw error;
    const because = error.where === undefined ? error.message : `${error.message} (${error.where})`;
    const result = { contained: false, containment: { contained: false, because, fix: error.fix } } as const;
    return { result: { ...result, [Symbol.asyncDispose]: () => Promise.resolve() }, isRefused: true };
  }
}

/** What is said where commands are not contained, or only partly. */
function noticeOf(
  { containment }: ContainedSession | NoSandbox,
  { isRefused, isRequired }: { readonly isRefused: boolean; readonly isRequired: boolean },
): string | undefined {
  if (containment.contained) return weakerNotice(containment);
  const problem = isRefused ? "no command can run" : "contained: no";
  return isRefused || !isRequired
    ? `${problem}, because ${containment.because}. To change that: ${containment.fix}`
    : undefined;
}

export function openCommandContainment(parts: ContainmentParts): CommandContainment {
  const { recoverable, isRequired } = parts;
  const { prepare, session, opened, runsNothing, close } = openOnce(parts);
  const placed = new Map<string, readonly string[] | "outside">();
  return {
    async require() {
      const result = isRequired ? await session() : undefined;
      if (result?.contained !== false) return;
      const { because, fix } = result.containment;
      throw new UserError(`a sandbox is required, but there is none: ${because}`, { fix, exitCode: EXIT.refused });
    },
    prepare: () => void prepare().catch(() => undefined),
    async judged() {
      const result = await session();
      return result.contained ? { contained: result.containment.held, recoverable } : {};
    },
    async place(command, decision, caller) {
      const result = await session();
      if (!result.contained) return;
      if (caller !== undefined) result.noteCaller(command, caller);
      placed.delete(command);
      const needs = decision.needs ?? [];
      if (decision.contained === false || needs.some(({ kind }) => kind === "outside")) {
        placed.set(command, "outside");
        result.noteOutside(command);
      } else if (needs.length > 0) placed.set(command, await result.lend(needs, command));
    },
    async argv(command, bare) {
      const result = await session();
      if (!result.contained) {
        if (!runsNothing()) return { argv: bare, inside: false };
        throw nothingRun(result);
      }
      const place = placed.get(command) ?? [result.program];
      placed.delete(command);
      return place === "outside" ? { argv: bare, inside: false } : { argv: [...place, command], inside: true };
    },
    takeNotes(ended) {
      const result = opened();
      return result?.contained === true ? result.takeNotes(ended) : [];
    },
    facts() {
      const result = opened();
      return result?.contained === false ? uncontained(result.containment.because) : result?.facts();
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Opens it once, and says what is to be said when the first command needs it. */
function openOnce({ open, isRequired, onFirst, warn }: ContainmentParts) {
  let opening: ReturnType<typeof openOrRefuse> | undefined;
  let opened: ContainedSession | NoSandbox | undefined;
  let runsNothing = isRequired;
  const prepare = () => (opening ??= openOrRefuse(open));
  return {
    prepare,
    session: async () => {
      const { result, isRefused } = await prepare();
      if (opened !== undefined) return opened;
      opened = result;
      runsNothing ||= isRefused;
      const notice = noticeOf(result, { isRefused, isRequired });
      if (notice !== undefined) warn(notice);
      onFirst?.();
      return result;
    },
    opened: () => opened,
    runsNothing: () => runsNothing,
    close: async () => {
      const { result } = (await opening?.catch(() => undefined)) ?? {};
      if (result?.contained === true) await result[Symbol.asyncDispose]();
    },
  };
}
