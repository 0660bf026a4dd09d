import type { AgentEvent } from "../contract/agent-event.ts";
import { decodeLines } from "../lib/decode-lines.ts";
import { newEvent } from "../backplane/new-event.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseExactJson } from "../lib/exact-json.ts";

export type AgentRecord = Readonly<Record<string, unknown>>;

/** The JSON lines of an agent. A line that is none is a notice: agents print such between their records. */
export async function* readRecords(
  output: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ record: AgentRecord } | { notice: AgentEvent }> {
  for await (const line of decodeLines(output)) {
    const record = "fault" in line ? undefined : parseRecord(line.text);
    const said = "fault" in line ? line.fault : line.text.slice(0, 500);
    yield record === undefined
      ? { notice: newEvent({ type: "warning", message: `the agent printed: ${said}` }) }
      : { record };
  }
}

function parseRecord(text: string): AgentRecord | undefined {
  try {
    const value = parseExactJson(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A text field, or an empty text. */
export const textOf = (value: unknown, name: string): string => {
  const found = isRecord(value) ? value[name] : undefined;
  return typeof found === "string" ? found : "";
};

/** A number field, whatever its form; null when there is none. */
export function numberOf(value: unknown, name: string): number | null {
  const found = isRecord(value) ? value[name] : undefined;
  if (typeof found === "number") return found;
  return JSON.isRawJSON(found) ? Number(found.rawJSON) : null;
}

/** The records in a list field. */
export const recordsIn = (value: unknown, name: string): AgentRecord[] => {
  const found = isRecord(value) ? value[name] : undefined;
  return Array.isArray(found) ? found.filter(isRecord) : [];
};
