import { judgeLine, namedPolicies } from "../../guard/judge-line.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { readLines } from "../../lib/text/decode-lines.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { chosenPolicy, readText } from "../active-policy.ts";
import { screen } from "../../guard/screen/screen.ts";
import { commandScreen } from "../../guard/screen/screen-command.ts";
import { printLine } from "../flags.ts";
import { judgedAs, WITHOUT } from "./judged-as.ts";
import type { CommandInput } from "../command-module.ts";

/** Judges JSON lines from standard input, one answer per line, in the same order. */
export async function run({ flags }: CommandInput): Promise<number> {
  const { policies } = flags;
  const policy = lazily(() => chosenPolicy(flags).policy);
  const as = lazily(() => judgedAs(flags, policy));
  const active = { policy, screen: commandScreen(screen) };
  const named = namedPolicies(typeof policies === "string" ? parsePolicies(policies) : {});
  for await (const line of readLines(process.stdin)) {
    if (line.trim() === "") continue;
    const parsed = parseLine(line);
    // Those under a policy of their own say nothing about this machine.
    const isOwn = flags["contained"] === undefined && namesPolicy(parsed);
    const { contained } = isOwn ? WITHOUT : await as();
    await printLine(judgeLine(parsed, named, { ...active, contained }));
  }
  return EXIT.ok;
}

const namesPolicy = (line: unknown) => !isRecord(line) || line["policy"] !== undefined;

function parsePolicies(path: string): unknown {
  try {
    return parseJson(readText(path));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${path} is not JSON`, {
      where: "--policies",
      fix: "pass a file with an object of named policies",
      cause: error,
    });
  }
}

/** A line that is not JSON is judged as an empty call, and so denied. */
function parseLine(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return {};
  }
}

/** Creates the value when the first line needs it, then reuses it. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
