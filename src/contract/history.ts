import * as z from "zod";
import { type AssistantMessage, type CallPart, Message, type ToolResult, type UserMessage } from "./message.ts";

/** A piece of a rebuilt history: messages of the present one, from an index up to another, or a new message. */
export const HistoryPiece = z.union([
  z.object({ keep: z.tuple([z.int().min(0), z.int().min(0)]) }),
  z.object({ add: Message }),
]);
export type HistoryPiece = z.infer<typeof HistoryPiece>;

/** The events that change a history. Nothing else does, whether it happens now or is replayed from a log. */
export type HistoryEdit =
  | { readonly type: "message"; readonly message: UserMessage | AssistantMessage }
  | { readonly type: "tool-start"; readonly call: { readonly id: string } }
  | { readonly type: "tool-end"; readonly result: ToolResult }
  | { readonly type: "history-replaced"; readonly pieces: readonly HistoryPiece[] };

/** The messages that a model is shown. It changes only through `apply`, in the loop and in the replay of a log. */
export interface History {
  readonly messages: readonly Message[];
  /** Other events change nothing. The results of an answer's calls become one message when the last of them is in. */
  apply(event: { readonly type: string } | HistoryEdit): void;
  /** Gives every call whose end never came a result that says so. Only an interrupted program leaves such calls. */
  settle(): void;
}

const STARTED =
  "The program was stopped while this call was running, and its result is lost. It may have taken effect: check before you repeat it.";
const NOT_STARTED = "The program was stopped before this call started. It did not run.";

interface OpenCalls {
  readonly calls: readonly CallPart[];
  readonly started: Set<string>;
  readonly ended: Map<string, ToolResult>;
}

export function openHistory(start: readonly Message[] = []): History {
  let messages = [...start];
  let open: OpenCalls | undefined;
  const settle = () => {
    if (open === undefined) return;
    const { calls, started, ended } = open;
    const lost = ({ id: callId, name }: CallPart): ToolResult => ({
      callId,
      name,
      text: started.has(callId) ? STARTED : NOT_STARTED,
      failed: true,
    });
    messages.push({ role: "tool", results: calls.map((call) => ended.get(call.id) ?? lost(call)) });
    open = undefined;
  };
  return {
    get messages() {
      return messages;
    },
    apply(event) {
      if (!isEdit(event)) return;
      switch (event.type) {
        case "message":
          settle();
          messages.push(event.message);
          open = openCalls(event.message);
          return;
        case "tool-start":
          open?.started.add(event.call.id);
          return;
        case "tool-end":
          open?.ended.set(event.result.callId, event.result);
          if (open?.calls.every(({ id }) => open?.ended.has(id)) === true) settle();
          return;
        case "history-replaced":
          settle();
          messages = event.pieces.flatMap((piece) => ("add" in piece ? [piece.add] : messages.slice(...piece.keep)));
      }
    },
    settle,
  };
}

const EDITS: readonly string[] = ["message", "tool-start", "tool-end", "history-replaced"];

const isEdit = (event: { readonly type: string } | HistoryEdit): event is HistoryEdit => EDITS.includes(event.type);

function openCalls(message: Message): OpenCalls | undefined {
  const calls = message.role === "assistant" ? message.parts.filter((part) => part.type === "call") : [];
  return calls.length === 0 ? undefined : { calls, started: new Set(), ended: new Map() };
}

/** The pieces that turn one history into another. Messages that are the same object are kept, not written again. */
export function historyPieces(before: readonly Message[], after: readonly Message[]): readonly HistoryPiece[] {
  const places = new Map(before.map((message, index) => [message, index]));
  const pieces: HistoryPiece[] = [];
  for (const message of after) {
    const place = places.get(message);
    const last = pieces.at(-1);
    if (place === undefined) pieces.push({ add: message });
    else if (last !== undefined && "keep" in last && last.keep[1] === place) last.keep[1] = place + 1;
    else pieces.push({ keep: [place, place + 1] });
  }
  return pieces;
}
