import { Command } from "commander";
import { expect, test } from "vitest";
import { VERBS } from "../verbs.ts";

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
