import { printable } from "../lib/printable.ts";
import type { DemoEvent } from "./demo.ts";

/** What the demo prints. In colour on a terminal, plain when piped or when NO_COLOR is set. */
export interface DemoScreen {
  readonly opening: (task: string, check: string) => void;
  readonly event: (event: DemoEvent) => void;
  readonly fix: (diff: string, check: string) => void;
  readonly receipt: (said: string) => void;
  readonly closing: (happened: Readonly<Record<string, boolean>>, kept: Kept | undefined) => void;
}

interface Kept {
  readonly repository: string;
  readonly home: string;
  readonly run: string;
}

const WIDTH = 76;

export function demoScreen(out: NodeJS.WriteStream): DemoScreen {
  const colours = out.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [bold, red, green, dim] = [paint(1), paint(31), paint(32), paint(2)];
  const line = (text = "") => void out.write(`${text}\n`);
  const wrapped = (text: string) => wrap(printable(text)).forEach((part) => line(`     ${part}`));
  let shown = 0;
  const heading = (text: string) => line(`\n${bold(`${++shown}. ${text}`)}`);
  return {
    opening(task, check) {
      line(bold("signalbox demo") + dim("  our engine, a scripted model, a throw-away repository; no network, no key"));
      line(`   task: ${task}   done means: ${check}`);
    },
    event(event) {
      if (event.kind === "call" && event.tool === "bash" && event.input.startsWith("curl")) {
        heading("The model wants to run a script from the internet");
        line(`   $ ${event.input}`);
      }
      if (event.kind === "denied") {
        line(`   ${red("BLOCKED")}`);
        wrapped(firstSentences(event.text));
      }
      if (event.kind === "said" && event.text.startsWith("Done")) {
        heading('The model says "done"');
        line(`   "${event.text}"`);
      }
      if (event.kind === "not-accepted")
        line(`   ${red("NOT ACCEPTED")}  the check was run and fails, so the work goes on`);
    },
    fix(diff, check) {
      heading("The fix");
      for (const part of diff.split("\n").filter((text) => /^[-+](?![-+])/.test(text)))
        line(`   ${part.startsWith("+") ? green(part) : red(part)}`);
      line(`   ${green("ACCEPTED")}  ${check}`);
    },
    receipt(said) {
      heading("The receipt");
      for (const part of said.trim().split("\n").slice(0, 4)) line(`   ${printable(part).slice(0, WIDTH)}`);
    },
    closing(happened, kept) {
      line();
      for (const [what, held] of Object.entries(happened)) line(`   ${held ? green("yes") : red("NO ")}  ${what}`);
      if (kept !== undefined) {
        line(`\n   kept: ${kept.repository}`);
        line(`   SIGNALBOX_HOME=${kept.home} signalbox receipt show ${kept.run}`);
      }
      line(`\n${bold("Next")}  signalbox doctor                    what works on this machine`);
      line("      signalbox claude                    your agent, under these rules (codex, copilot)");
      line('      signalbox run codex "…" --accept "npm test"      a task with a receipt');
    },
  };
}

/** The reason, without the advice to the model. */
const firstSentences = (text: string) => text.replace(/ Do not try it again.*$/s, "").replace(/^not allowed: /, "");

function wrap(text: string): readonly string[] {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? "";
    if (last.length + word.length + 1 > WIDTH - 5) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}
