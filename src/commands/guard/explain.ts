import { styleText } from "node:util";
import { decide } from "../../guard/decide-and-record.ts";
import { explainToPerson } from "../../guard/explain.ts";
import { judgeLine, namedPolicies } from "../../guard/judge-line.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { readLines } from "../../lib/text/decode-lines.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { foreseeRefusals } from "../../sandbox/contained-session.ts";
import { chosenPolicy, readText } from "../active-policy.ts";
import { screenedMachine } from "../screened-machine.ts";
import type { CommandInput } from "../command-module.ts";
import { printLine } from "../flags.ts";
import { commandWords, judgedAs, snapshotHere, WITHOUT } from "./judged-as.ts";

/** Shows what a shell command would do in a session that starts here, and whether it is allowed. Exits with 0 when allowed, otherwise 3. */
export async function explain({ words, passed, flags }: CommandInput): Promise<number> {
  const command = commandWords(words, passed);
  if (command === undefined)
    throw new UserError("no command to explain", { fix: "try: signalbox guard explain 'COMMAND'" });
  const { policy } = chosenPolicy(flags);
  const call = { tool: "Bash", input: { command }, cwd: currentFolder() };
  const as = await judgedAs(flags, () => policy);
  await using snapshot = snapshotHere(as, policy.workspaceRoot);
  const decision = await snapshot.work((containment) => decide(call, policy, { ...screenedMachine, ...containment }));
  const fails =
    as.plan === undefined || decision.contained !== true
      ? []
      : foreseeRefusals({ command, folder: call.cwd, effects: decision.effects }, { plan: as.plan, policy });
  const text = () => `${explainToPerson(command, decision, { call, policy, fails })}\nJudged ${as.words}\n`;
  const facts = { ...decision, fails, judged: `judged ${as.words}` };
  process.stdout.write(flags["json"] === true ? `${JSON.stringify(facts)}\n` : coloured(text(), decision.verdict));
  return decision.verdict === "allow" ? EXIT.ok : EXIT.refused;
}

const COLOURS = { allow: "green", ask: "yellow", deny: "red" } as const;

/** The verdict in its colour and the headings in bold, on a terminal that wants colours. */
function coloured(text: string, verdict: keyof typeof COLOURS): string {
  const paint = (style: Parameters<typeof styleText>[0], part: string) =>
    styleText(style, part, { stream: process.stdout });
  return text
    .replace(/^\S+/, (word) => paint(["bold", COLOURS[verdict]], word))
    .replaceAll(/(?<=\n\n)[A-Z][^\n]*(?=\n {2})/g, (heading) => paint("bold", heading));
}

/** Judges JSON lines from standard input, one answer per line, in the same order. */
export async function judgeLines({ flags }: CommandInput): Promise<number> {
  const { policies } = flags;
  const policy = lazily(() => chosenPolicy(flags).policy);
  const as = lazily(() => judgedAs(flags, policy));
  const active = { policy, screen: screenedMachine.screen };
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
