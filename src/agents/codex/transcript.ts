import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { CallTrace, Payload } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { readPayload } from "../pack/hook-event.ts";

/** A call is near the end of the transcript, but a long command makes a long line. */
const TAIL_SIZES = [64 * 1024, 1024 * 1024];

/** A call's arguments as the model gave them. Undefined when the transcript does not contain it, or contradicts itself. */
export function tracedArguments({ file, call }: CallTrace): Payload | undefined {
  const name = Buffer.from(`"call_id":${JSON.stringify(call)}`);
  for (const tailSize of TAIL_SIZES) {
    const bytes = lastBytes(file, tailSize);
    const given = placesOf(name, bytes)
      .map((at) => argumentsOf(lineAround(bytes, at), call))
      .filter((one) => one !== undefined);
    // Different calls with the same id: it is unknown which one is meant.
    if (given.length > 0) return new Set(given.map((one) => JSON.stringify(one))).size === 1 ? given[0] : undefined;
    if (bytes.length < tailSize) return undefined;
  }
  return undefined;
}

const MAX_PLACES = 64;

function placesOf(name: Buffer, bytes: Buffer): readonly number[] {
  const places: number[] = [];
  for (
    let at = bytes.lastIndexOf(name);
    at !== -1 && places.length < MAX_PLACES;
    at = at === 0 ? -1 : bytes.lastIndexOf(name, at - 1)
  )
    places.push(at);
  return places;
}

function lineAround(bytes: Buffer, at: number): string {
  const end = bytes.indexOf("\n", at);
  return bytes.toString("utf8", bytes.lastIndexOf("\n", at) + 1, end === -1 ? bytes.length : end);
}

/** Undefined for a line that is cut off or has another form. */
function argumentsOf(line: string, call: string): Payload | undefined {
  try {
    const { payload } = readPayload(line);
    if (!isRecord(payload) || payload["type"] !== "function_call" || payload["call_id"] !== call) return undefined;
    return readPayload(String(payload["arguments"]));
  } catch {
    return undefined;
  }
}

function lastBytes(file: string, tailSize: number): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.allocUnsafe(Math.min(size, tailSize));
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(0, read);
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
