import type { CallPart, Message } from "../../src/contract/message.ts";

/** What a provider would refuse in a history; nothing when it is valid. The wires agree on these rules, or one is the strictest. */
export function historyProblems(history: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  const taken = new Set<string>();
  if (history.length > 0 && history[0]?.role !== "user") problems.push("it does not begin with a user message");
  for (const [index, message] of history.entries()) {
    const calls = callsOf(message);
    for (const { id } of calls) {
      if (taken.has(id)) problems.push(`message ${index}: the id ${id} was used before`);
      if (!/^[\w-]{1,64}$/.test(id)) problems.push(`message ${index}: the id ${id} does not fit every wire`);
      taken.add(id);
    }
    if (calls.length > 128) problems.push(`message ${index}: too many calls`);
    if (calls.length > 0) problems.push(...resultProblems(calls, history[index + 1], index));
    if (message.role === "tool" && callsOf(history[index - 1]).length === 0)
      problems.push(`message ${index}: results without calls`);
  }
  return problems;
}

function resultProblems(calls: readonly CallPart[], next: Message | undefined, index: number): readonly string[] {
  if (next?.role !== "tool") return [`message ${index}: its calls have no results`];
  const called = calls.map(({ id }) => id).join(" ");
  const given = next.results.map(({ callId }) => callId).join(" ");
  return called === given ? [] : [`message ${index}: calls ${called}, but results for ${given}`];
}

function callsOf(message: Message | undefined): readonly CallPart[] {
  return message?.role === "assistant" ? message.parts.filter((part) => part.type === "call") : [];
}
