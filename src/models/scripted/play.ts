import * as z from "zod";
import type { Expect, Failure, Script, ScriptScene, Turn } from "./script.ts";
import {
  type Answer,
  type AnswerCall,
  type IncomingRequest,
  inputText,
  type OfferedTool,
  opening,
  turnsPlayed,
} from "./wire.ts";

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

/** Each expectation in `expect` that the request does not meet, as a sentence. */
function unmet(expect: Expect, request: IncomingRequest): string[] {
  const text = inputText(request);
  const offered = request.tools.map((tool) => tool.name);
  const { contains, not_contains, tools, matches } = expect;
  return [
    ...contains.filter((part) => !text.includes(part)).map((part) => `the request does not contain ${quoted(part)}`),
    ...not_contains.filter((part) => text.includes(part)).map((part) => `the request contains ${quoted(part)}`),
    ...tools.filter((name) => !offered.includes(name)).map((name) => `${notOffered(name)}: ${listed(offered)}`),
    ...(matches === undefined || new RegExp(matches, "u").test(text)
      ? []
      : [`the request does not match /${matches}/`]),
  ];
}

/** The names for a message. */
function listed(names: readonly string[]): string {
  return names.length === 0 ? "none are" : names.join(", ");
}

const notOffered = (name: string) => `the tool ${name} is not offered; offered`;

const quoted = (text: string) => JSON.stringify(text);

/** The name and input that make the offered shell tool run `command`; undefined when none is offered. */
export function shellCall(command: string, tools: readonly OfferedTool[]): ShellCall | undefined {
  for (const name of SHELL_TOOLS) {
    const tool = tools.find((candidate) => candidate.name === name);
    const input = tool && inputFor(command, tool.schema);
    if (input) return { name, input };
  }
  const code = tools.some((tool) => tool.name === "exec" && tool.freeText);
  return code
    ? { name: "exec", input: `text(await tools.exec_command(${JSON.stringify({ cmd: command })}))` }
    : undefined;
}

interface ShellCall {
  readonly name: string;
  /** Text for Codex's code mode, whose only tool runs JavaScript. */
  readonly input: string | Readonly<Record<string, unknown>>;
}

/** Claude; Copilot, opencode and pi; Codex; Gemini; then older names of Codex and what other agents use. */
const SHELL_TOOLS = [
  "Bash",
  "bash",
  "exec_command",
  "run_shell_command",
  "shell_command",
  "shell",
  "execute",
  "terminal",
];

const Property = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
});

const Schema = z.looseObject({
  properties: z.record(z.string(), Property),
  required: z.array(z.string()).default([]),
});

function inputFor(command: string, schema: unknown): ShellCall["input"] | undefined {
  const parsed = Schema.safeParse(schema);
  if (!parsed.success) return undefined;
  const { properties, required } = parsed.data;
  const key = ["command", "cmd"].find((name) => name in properties);
  if (key === undefined) return undefined;

  // Claude and Copilot show a description to the person; it is filled in even where it is optional.
  const wanted = new Set([...required, ...("description" in properties ? ["description"] : [])]);
  wanted.delete(key);
  const words = typeOf(properties[key]) === "array" ? ["bash", "-lc", command] : command;
  return { [key]: words, ...Object.fromEntries([...wanted].map((name) => [name, fillerFor(properties[name])])) };
}

/** A value that the property's schema accepts. */
function fillerFor(property: z.infer<typeof Property> | undefined): unknown {
  if (property?.default !== undefined) return property.default;
  if (property?.enum?.[0] !== undefined) return property.enum[0];
  switch (typeOf(property)) {
    case "boolean":
      return false;
    case "number":
    case "integer":
      return 1;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "Run the scripted command";
  }
}

/** The schema's type in lower case, because Gemini uses upper case. */
function typeOf(property: z.infer<typeof Property> | undefined): string {
  return ([property?.type ?? "string"].flat()[0] ?? "string").toLowerCase();
}
