import type { Answer, AnswerCall } from "./script/answer.ts";
import { type IncomingRequest, opening, turnsPlayed } from "./script/incoming-request.ts";
import { listed, unmet } from "./expectations.ts";
import type { Failure, ScriptScene, Script, Turn } from "./script/script.ts";
import { shellCall } from "./shell-call.ts";

/** What a request gets, and why. `turn` is the number of answers in its history. */
export type Played = { readonly scene: number | null; readonly turn: number } & (
  | ({ readonly answered: "turn" | "after" | "side" } & Spoken)
  | ({ readonly answered: "failure"; readonly failure: Failure } & Spoken)
  | { readonly answered: "expect-failed"; readonly problems: readonly string[] }
);

interface Spoken {
  readonly answer: Answer;
  readonly pace: Pace;
}

/** Milliseconds before the first byte, and between the events of a stream. */
interface Pace {
  readonly before: number;
  readonly between: number;
}

/**
 * A player of `script`. It keeps two counters and no conversation: how often each turn was requested (its failures go
 * to the first requests, whoever sent them), and how many answers it gave (for ids).
 */
export function player(script: Script): (request: IncomingRequest) => Played {
  const attempts = new Map<Turn, number>();
  let answers = 0;

  return (request) => {
    const turn = turnsPlayed(request.entries);
    const beginning = opening(request);
    const index = script.scenes.findIndex(({ when }) => beginning.includes(when?.contains ?? ""));
    const scene = script.scenes[index];
    const at = { scene: scene ? index : null, turn };
    const prefix = `${turn}_${++answers}`;

    if (request.tools.length === 0 && (!scene || wantsTools(scene))) {
      const answer = answerOf(textTurn(script.side), request, prefix);
      return { ...at, answered: "side", answer, pace: { before: 0, between: 0 } };
    }
    if (!scene) return { ...at, answered: "expect-failed", problems: ["no scene matches this request"] };

    const line = scene.turns[turn] ?? scene.after;
    const problems = [...(line.expect ? unmet(line.expect, request) : []), ...missingShell(line, request)];
    if (problems.length > 0) return { ...at, answered: "expect-failed", problems };

    const attempt = attempts.get(line) ?? 0;
    attempts.set(line, attempt + 1);
    const failure = line.failures[attempt];
    const played = {
      ...at,
      answer: answerOf(line, request, prefix),
      pace: { before: line.delay_ms, between: line.chunk_delay_ms },
    };
    if (failure) return { ...played, answered: "failure", failure };
    return { ...played, answered: turn < scene.turns.length ? "turn" : "after" };
  };
}

/** Title and quota requests have no tools, so a scene that calls tools is not meant for them. */
function wantsTools(scene: ScriptScene): boolean {
  return scene.turns.some((turn) => turn.calls.length + turn.shell.length + (turn.expect?.tools.length ?? 0) > 0);
}

function missingShell(line: Turn, request: IncomingRequest): string[] {
  if (line.shell.every((command) => shellCall(command, request.tools))) return [];
  return [`the turn needs a shell tool; offered: ${listed(request.tools.map((tool) => tool.name))}`];
}

function answerOf(line: Line, request: IncomingRequest, prefix: string): Answer {
  const shell = line.shell.flatMap((command) => shellCall(command, request.tools) ?? []);
  const calls = [...shell.map((call) => ({ ...call, id: undefined })), ...line.calls].map(
    ({ id, name, input }, index): AnswerCall => ({ id: id ?? `call_${prefix}_${index + 1}`, name, input }),
  );
  const { text = "", thinking } = line;
  return {
    id: prefix,
    model: request.model,
    thinking,
    text,
    calls,
    stop: line.stop ?? (calls.length > 0 ? "calls" : "end"),
    usage: {
      input: line.usage.input ?? tokens(JSON.stringify([request.system, request.entries, request.tools])),
      output: line.usage.output ?? tokens(thinking + text + (calls.length > 0 ? JSON.stringify(calls) : "")),
    },
  };
}

type Line = Pick<Turn, "text" | "thinking" | "shell" | "calls" | "stop" | "usage">;

const textTurn = (text: string): Line => ({ text, thinking: "", shell: [], calls: [], stop: undefined, usage: {} });

/** A token is about four characters: close enough for a model that does not exist. */
const tokens = (text: string) => Math.max(1, Math.ceil(text.length / 4));
