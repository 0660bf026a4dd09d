import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Payload } from "./dialects/dialect.ts";
import type { CallTrace } from "./hook-event.ts";
import { readPayload } from "./read-payload.ts";
import { isRecord } from "../lib/is-record.ts";

/** A call stands near the end of the transcript; a long command makes a long line. */
const REACHES = [64 * 1024, 4 * 1024 * 1024];

/** The arguments of a call as the model gave them. Undefined when the transcript does not have it, or not in one plain form. */
export function tracedArguments({ file, call }: CallTrace): Payload | undefined {
  for (const reach of REACHES) {
    const found = lastBytes(file, reach)
      .split("\n")
      .findLast((line) => line.includes(`"call_id":${JSON.stringify(call)}`) && line.includes('"function_call"'));
    const given = found === undefined ? undefined : argumentsOf(found, call);
    if (given !== undefined) return given;
  }
  return undefined;
}

/** A line that is cut, or not of this form, tells nothing. */
function argumentsOf(line: string, call: string): Payload | undefined {
  try {
    const { payload } = readPayload(line);
    if (!isRecord(payload) || payload["type"] !== "function_call" || payload["call_id"] !== call) return undefined;
    return readPayload(String(payload["arguments"]));
  } catch {
    return undefined;
  }
}

function lastBytes(file: string, reach: number): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, reach));
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, read);
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
