import { pieces } from "../script/answer.ts";

/** One item of the `output` of a Responses answer. */
export type OutputItem =
  | { type: "reasoning"; id: string; summary: readonly { type: "summary_text"; text: string }[] }
  | { type: "message"; id: string; status: Status; role: "assistant"; content: readonly OutputText[] }
  | { type: "function_call"; id: string; status: Status; call_id: string; name: string; arguments: string }
  | { type: "custom_tool_call"; id: string; status: Status; call_id: string; name: string; input: string };

type Status = "in_progress" | "completed";
type OutputText = { type: "output_text"; text: string; annotations: readonly unknown[] };
type ItemEvent = { type: string; [key: string]: unknown };

/** The events that stream one finished item: added empty, filled by deltas, done. */
export function itemEvents(item: OutputItem, output_index: number): ItemEvent[] {
  const place = { item_id: item.id, output_index };
  return [
    { type: "response.output_item.added", output_index, item: emptied(item) },
    ...fillingEvents(item).map((event) => ({ ...event, ...place })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function emptied(item: OutputItem): OutputItem {
  switch (item.type) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
  }
}

function fillingEvents(item: OutputItem): ItemEvent[] {
  switch (item.type) {
    case "reasoning":
      return item.summary.flatMap((part, summary_index) => [
        { type: "response.reasoning_summary_part.added", summary_index, part: { ...part, text: "" } },
        ...pieces(part.text).map((delta) => ({ type: "response.reasoning_summary_text.delta", summary_index, delta })),
        { type: "response.reasoning_summary_text.done", summary_index, text: part.text },
        { type: "response.reasoning_summary_part.done", summary_index, part },
      ]);
    case "message":
      return item.content.flatMap((part, content_index) => [
        { type: "response.content_part.added", content_index, part: { ...part, text: "" } },
        ...pieces(part.text).map((delta) => ({ type: "response.output_text.delta", content_index, delta })),
        { type: "response.output_text.done", content_index, text: part.text },
        { type: "response.content_part.done", content_index, part },
      ]);
    case "function_call":
      return [
        ...pieces(item.arguments).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
        { type: "response.function_call_arguments.done", name: item.name, arguments: item.arguments },
      ];
    case "custom_tool_call":
      return [
        ...pieces(item.input).map((delta) => ({ type: "response.custom_tool_call_input.delta", delta })),
        { type: "response.custom_tool_call_input.done", input: item.input },
      ];
  }
}
