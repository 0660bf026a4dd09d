import { readFileSync } from "node:fs";
import { isRecord, strings } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";

/** A call in a record of the audit log, and the record's line. What is missing in it is an empty text. */
export interface LoggedCall {
  readonly line: string;
  readonly time: string;
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
  readonly cwd: string;
  /** The call as it was recorded: JSON, or the beginning of it. */
  readonly call: string;
  readonly input: unknown;
  readonly verdict: string;
  readonly code: string;
  readonly rules: readonly string[];
  readonly because: string | undefined;
  /** It ran in a sandbox, or left one. */
  readonly contained: boolean;
}

export const linesOf = (path: string): readonly string[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");

/** The call of a line; none if the line is not a record. */
export function loggedCall(line: string): readonly LoggedCall[] {
  const record = parse(line);
  if (!isRecord(record)) return [];
  const text = (name: string) => {
    const value = record[name];
    return typeof value === "string" ? value : "";
  };
  const call = text("call");
  return [
    {
      line,
      time: text("time"),
      session: text("session"),
      agent: text("agent"),
      tool: text("tool"),
      cwd: text("cwd"),
      call,
      input: parse(call),
      verdict: text("verdict"),
      code: text("code"),
      rules: strings(record["rules"]) ?? [],
      because: typeof record["because"] === "string" ? record["because"] : undefined,
      contained: typeof record["contained"] === "boolean",
    },
  ];
}

/** Undefined for what is not JSON: a call that was cut, or a line that is still being written. */
function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
