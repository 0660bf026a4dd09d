import { styleText } from "node:util";
import { decide } from "../../guard/decide-and-record.ts";
import { explainToPerson } from "../../guard/explain.ts";
import { commandScreen } from "../../guard/screen/screen-command.ts";
import { screen } from "../../guard/screen/screen.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { chosenPolicy } from "../active-policy.ts";
import { foreseeRefusals } from "../../sandbox/contained-session.ts";
import { judgedAs, snapshotHere } from "./judged-as.ts";
import { commandWords } from "./command-words.ts";
import type { CommandInput } from "../command-module.ts";

/** Shows what a shell command would do in a session that starts here, and whether it is allowed. Exits with 0 when allowed, otherwise 3. */
export async function run({ words, passed, flags }: CommandInput): Promise<number> {
  const command = commandWords(words, passed);
  if (command === undefined)
    throw new UserError("no command to explain", { fix: "try: signalbox guard explain 'COMMAND'" });
  const { policy } = chosenPolicy(flags);
  const call = { tool: "Bash", input: { command }, cwd: currentFolder() };
  const as = await judgedAs(flags, () => policy);
  await using snapshot = snapshotHere(as, policy.workspaceRoot);
  const decision = await snapshot.work((containment) =>
    decide(call, policy, { ...realMachine, screen: commandScreen(screen), ...containment }),
  );
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
