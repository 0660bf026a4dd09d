import * as z from "zod";
import type { CallPart, ToolResult } from "../contract/message.ts";
import type { Tool, ToolCall, ToolOutput } from "../contract/tool.ts";

/** A call that may run, with its arguments as the tool's schema read them. */
export interface ReadyCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  /** What processors want the model to be told with the result. */
  readonly notes: readonly string[];
}

/** A call that will not run, and why: the model reads it. */
export interface FailedCall {
  readonly call: ToolCall;
  readonly because: string;
}

export const isReady = (call: ReadyCall | FailedCall): call is ReadyCall => "tool" in call;

/** Reads the arguments of a call. An unknown tool or wrong arguments are the model's mistakes: data, not errors. */
export function readCall(part: CallPart, tools: ReadonlyMap<string, Tool>, note?: string): ReadyCall | FailedCall {
  const call: ToolCall = { id: part.id, name: part.name, input: part.input };
  if (part.malformed !== undefined) {
    const because = `the arguments are not a complete JSON object: ${part.malformed.slice(0, 500)}`;
    return { call, because };
  }
  const tool = tools.get(part.name);
  if (tool === undefined) {
    return { call, because: `there is no tool named ${part.name}; the tools are ${[...tools.keys()].join(", ")}` };
  }
  return parseInput({ call, tool, notes: note === undefined ? [] : [note] });
}

/** Parses the arguments; the guard and the tool see the same, parsed form. */
export function parseInput(ready: ReadyCall): ReadyCall | FailedCall {
  const { call, tool } = ready;
  const parsed = tool.input.safeParse(call.input);
  if (parsed.success) return { ...ready, call: { ...call, input: parsed.data } };
  return { call, because: `wrong arguments for ${tool.name}: ${z.prettifyError(parsed.error).slice(0, 2000)}` };
}

/** A hard bound behind the tools' own: nothing larger goes into a history. */
const MAX_TEXT = 400_000;

export function resultOf(
  { id: callId, name }: ToolCall,
  output: ToolOutput,
  notes: readonly string[] = [],
): ToolResult {
  const whole = [output.text, ...notes].join("\n\n").toWellFormed();
  const text =
    whole.length > MAX_TEXT ? `${whole.slice(0, MAX_TEXT).toWellFormed()}\n[cut after ${MAX_TEXT} characters]` : whole;
  const images = output.images === undefined || output.images.length === 0 ? {} : { images: [...output.images] };
  return { callId, name, text, failed: output.failed, ...images };
}
