import { Command } from "commander";
import { expect, test } from "vitest";
import { VERBS } from "../verbs.ts";
import { refuseExtraWords } from "./sub-verbs.ts";

const verbs = await Promise.all(VERBS.map(async ({ name, load }) => ({ name, module: (await load()).command })));
const withSubVerbs = verbs.filter(({ module }) => module.subVerbs !== undefined);

test.each(withSubVerbs)(
  "every subcommand of $name has help about flags that exist, in 80 columns",
  ({ name, module }) => {
    const command = new Command(name);
    module.configure(command, name);
    const flags = command.options.map(({ long }) => long);
    const table = module.subVerbs ?? {};
    expect(Object.keys(table).toSorted()).toEqual([...(module.firstWords?.() ?? [])].toSorted());
    for (const [sub, help] of Object.entries(table)) {
      expect(help.flags.filter((flag) => !flags.includes(flag))).toEqual([]);
      expect(help.examples.filter((example) => !example.includes(`signalbox ${name} ${sub}`))).toEqual([]);
      expect(24 + help.summary.length).toBeLessThanOrEqual(80);
    }
  },
);

test.each([
  ["", 0],
  ["[--since TIME]", 0],
  ["--policy FILE [--since TIME]", 0],
  ["RUN [flags]", 1],
  ["COMMAND|last [--yes]", 1],
  ["[RUN | FILE] [--key PEM]", 1],
  ["NAME|FILE [-c KEY=VALUE]... [flags] | --resume RUN", 1],
  ["RUN RUN [--all]", 2],
])("a subcommand with the usage %j takes %i words and no more", (usage, most) => {
  const words = ["sub", ...Array.from({ length: most }, () => "x")];
  expect(() => refuseExtraWords("verb", words, { usage })).not.toThrow();
  expect(() => refuseExtraWords("verb", [...words, "one-more"], { usage })).toThrow("unexpected argument 'one-more'");
});
