import { isRecord } from "../../lib/is-record.ts";
import { printableLine } from "../../lib/printable.ts";
import { callText } from "../receipt/denied-calls.ts";
import { commandIn, type LoggedCall } from "./read-log.ts";

const MAX_CALL = 160;

/** The records for people: a header for each session, then its calls, with the hosts under the call that asked. */
export function auditStory(records: readonly LoggedCall[]): string {
  const sessions = Map.groupBy(withHosts(records), ({ call }) => call.session);
  return [...sessions.values()].map(sessionText).join("\n");
}

/** A call, or a host whose call is not among the records. */
interface ShownCall {
  readonly call: LoggedCall;
  readonly hosts: LoggedCall[];
  answer?: LoggedCall | undefined;
}

const isHost = ({ tool }: LoggedCall) => tool === "network";

function withHosts(records: readonly LoggedCall[]): readonly ShownCall[] {
  const shown: ShownCall[] = [];
  // The latest call with a command, because that is the one that ran when a host was asked for.
  const latest = new Map<string, ShownCall>();
  for (const record of records) {
    const command = commandIn(record.input) ?? record.call;
    const asker = latest.get(command);
    if (isHost(record) && asker !== undefined) asker.hosts.push(record);
    else if (record.code.startsWith("person-") && asker !== undefined) asker.answer = record;
    else {
      const one: ShownCall = { call: record, hosts: [] };
      shown.push(one);
      if (!isHost(record)) latest.set(command, one);
    }
  }
  return shown;
}

function sessionText(calls: readonly ShownCall[]): string {
  const [first] = calls;
  if (first === undefined) return "";
  const { agent, session, cwd, time } = first.call;
  const last = calls.at(-1)?.call.time ?? time;
  const until = last.slice(0, 10) === time.slice(0, 10) ? last.slice(11, 19) : last.slice(0, 19);
  const header = `${agent}  ${cwd}  ${time.slice(0, 10)} ${time.slice(11, 19)} to ${until} UTC  session ${session}`;
  return `${[printableLine(header), ...calls.flatMap(callLines)].join("\n")}\n`;
}

function callLines({ call, hosts, answer }: ShownCall): readonly string[] {
  const time = call.time.slice(11, 19);
  if (isHost(call)) {
    const command = commandIn(call.input);
    const asker = command === undefined ? [] : [short(`asked for by $ ${command}`)];
    return [`  ${time}  ${hostLine(call)}`, ...asker.map((line) => `${INDENT}${line}`)];
  }
  const shown = short(callText(call.tool, call.input ?? call.call));
  const why = reasonOf(call);
  return [
    `  ${time}  ${call.verdict.padEnd(5)}  ${shown}`,
    ...(why === undefined ? [] : [`${INDENT}${printableLine(why)}`]),
    ...(answer === undefined ? [] : [`${INDENT}a person said ${answer.verdict === "allow" ? "yes" : "no"}`]),
    ...hosts.map((host) => `${INDENT}${hostLine(host)}`),
  ];
}

function short(text: string): string {
  const line = printableLine(text);
  return line.length > MAX_CALL ? `${line.slice(0, MAX_CALL)}…` : line;
}

const INDENT = " ".repeat(19);

/** Why it was not simply allowed. */
function reasonOf({ verdict, because, code, rules }: LoggedCall): string | undefined {
  if (verdict === "allow") return undefined;
  const rule = rules.length === 0 ? "" : ` (rule ${rules.join(", ")})`;
  return `${because ?? code}${rule}`;
}

/** The reason is in the place of the rules. */
function hostLine({ input, call, verdict, rules }: LoggedCall): string {
  const host = isRecord(input) && typeof input["host"] === "string" ? input["host"] : call.slice(0, MAX_CALL);
  return printableLine(`${verdict === "allow" ? "allowed" : "refused"} ${host}: ${rules.join(", ")}`);
}
