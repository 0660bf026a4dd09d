import { printable } from "../../lib/printable.ts";
import { shQuote } from "../../lib/sh-quote.ts";

/** How the demo shows one event of the run. */
export type DemoEvent =
  | { readonly kind: "message" | "denied" | "not-accepted"; readonly text: string }
  | { readonly kind: "command"; readonly text: string }
  | { readonly kind: "other" };

/** The demo's output. Coloured on a terminal; plain when piped or when NO_COLOR is set. */
export interface DemoScreen {
  readonly opening: (task: string, check: string) => void;
  readonly event: (event: DemoEvent) => void;
  readonly fix: (diff: string, outcome: { readonly check: string; readonly accepted: boolean }) => void;
  readonly receipt: (receiptText: string, verified: { readonly output: string; readonly good: boolean }) => void;
  readonly closing: (happened: Readonly<Record<string, boolean>>, kept: Kept | undefined) => void;
}

interface Kept {
  readonly repository: string;
  readonly home: string;
}

const WIDTH = 76;

interface Output {
  readonly isTTY: boolean;
  write(text: string): unknown;
}

/** `as` is how the user can start signalbox. */
export function demoScreen(out: Output, as = "signalbox"): DemoScreen {
  const colours = out.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [bold, red, green, dim] = [paint(1), paint(31), paint(32), paint(2)];
  const verdict = (passed: boolean, word: string) => (passed ? green(word) : red(`NOT ${word}`));
  const line = (text = "") => void out.write(`${text}\n`);
  let headings = 0;
  const heading = (text: string) => line(bold(`${++headings}. ${text}`));
  return {
    opening(task, check) {
      line(bold("signalbox demo") + dim("  our engine, a scripted model, a throw-away repository"));
      line(`   task: ${task}   done: ${check}`);
    },
    event(event) {
      if (event.kind === "command" && event.text.startsWith("curl")) {
        heading("The model wants to run a script from the internet");
        line(`   $ ${event.text}`);
      }
      if (event.kind === "denied") line(`   ${red("BLOCKED")}  ${reasonIn(event.text)}`);
      if (event.kind === "message" && event.text.startsWith("Done")) {
        heading('The model says "done"');
        line(`   "${event.text}"`);
      }
      if (event.kind === "not-accepted")
        line(`   ${red("NOT ACCEPTED")}  the check ran and failed, so the agent continues`);
    },
    fix(diff, { check, accepted }) {
      heading("The fix");
      for (const part of diff.split("\n").filter((text) => /^[-+](?![-+])/.test(text)))
        line(`   ${part.startsWith("+") ? green(part) : red(part)}`);
      line(`   ${verdict(accepted, "ACCEPTED")}  ${check}`);
    },
    receipt(receiptText, { output, good }) {
      heading("The receipt");
      for (const part of receiptText.split("\n").filter((text) => /^(?:outcome|guarded|hash) /.test(text)))
        line(`   ${printable(part).slice(0, WIDTH)}`);
      line(`   ${verdict(good, "VERIFIED")}  ${printable(output.split("\n")[0] ?? "")}`);
    },
    closing(happened, kept) {
      for (const [what] of Object.entries(happened).filter(([, done]) => !done))
        line(red(`\nExpected, but did not happen: ${what}`));
      if (kept !== undefined) {
        line(`\n   kept: ${printable(kept.repository)}`);
        line(`   SIGNALBOX_HOME=${shQuote(kept.home)} ${as} receipt show last`);
      }
      line(`\n${bold("Next")}  ${as} doctor   what you can start here`);
      line(`      ${as} claude   your own agent under these rules (codex, copilot)`);
      line(`      ${as} run codex "fix the tests" --accept "npm test"`);
    },
  };
}

/** The reason alone, without the rule and the advice for the model. */
const reasonIn = (text: string) =>
  printable(/`: (.+?)\.(?: |$)/.exec(text)?.[1] ?? text)
    .replace(/, and nobody is available.*$/s, "")
    .slice(0, WIDTH);
