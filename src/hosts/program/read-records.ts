import type { AgentRecord } from "../../agents/pack/record-fields.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import { newEvent } from "../../contract/new-event.ts";
import { decodeLines } from "../../lib/decode-lines.ts";
import { parseExactJson } from "../../lib/exact-json.ts";
import { isRecord } from "../../lib/is-record.ts";

/** An agent's JSON lines. Any other line becomes a notice, because agents print those between their records. */
export async function* readRecords(
  output: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ record: AgentRecord } | { notice: AgentEvent }> {
  for await (const line of decodeLines(output)) {
    const record = "fault" in line ? undefined : parseRecord(line.text);
    const printed = "fault" in line ? line.fault : line.text.slice(0, 500);
    yield record === undefined
      ? { notice: newEvent({ type: "warning", message: `the agent printed: ${printed}` }) }
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
