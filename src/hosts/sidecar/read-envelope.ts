import { LooseHostEnvelope } from "../../contract/envelope.ts";
import { describeIssue } from "../../lib/describe-issue.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseExactJson } from "../../lib/exact-json.ts";
import type { Line } from "../../lib/decode-lines.ts";
import { ProtocolError } from "../../backplane/host.ts";
import { messageOf } from "../../lib/message-of.ts";

const SHOWN = 200;

/** One line of a host. A tag that we do not know is undefined, because hosts may know more; rubbish is a broken protocol. */
export function readHostEnvelope(line: Line): LooseHostEnvelope | undefined {
  if ("fault" in line) throw new ProtocolError(`the host printed ${line.fault}`);
  let value: unknown;
  try {
    value = parseExactJson(line.text);
  } catch (cause) {
    const why = messageOf(cause);
    const what = why.startsWith("not valid JSON") ? "what is no JSON" : `JSON that cannot be read (${why})`;
    throw new ProtocolError(`the host printed ${what}: ${line.text.slice(0, SHOWN)}`, { cause });
  }
  if (!isRecord(value) || typeof value["t"] !== "string")
    throw new ProtocolError(`the host printed what is no envelope: ${line.text.slice(0, SHOWN)}`);
  const parsed = LooseHostEnvelope.safeParse(value);
  if (parsed.success) return parsed.data;
  const { t } = value;
  if (t === "run" || t === "cancel" || t === "ping") throw new ProtocolError(`the host sent '${t}', which only we may`);
  if (!["hello", "event", "final", "fatal", "pong"].includes(t)) return undefined;
  throw new ProtocolError(
    `the host sent a broken '${t}': ${parsed.error.issues.slice(0, 1).map(describeIssue).join("")}`,
  );
}

/** The major version of a contract such as `abp/v0.1`; undefined for anything else. */
export function majorVersion(contract: string): number | undefined {
  const found = /^abp\/v(\d{1,9})\.\d{1,9}$/.exec(contract)?.[1];
  return found === undefined ? undefined : Number(found);
}
