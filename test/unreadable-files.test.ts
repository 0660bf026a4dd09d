import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "./support/git-repository.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

// Root can read everything.
test.skipIf(process.getuid?.() === 0)(
  "a file that became unreadable is named in the receipt, beside everything else that changed",
  async () => {
    const cwd = repositoryWith({ "a.txt": "a\n", "b.txt": "b\n", "c/d.txt": "d\n" });
    const options = { cwd, env: { HOME: tempFolder() } };
    mkdirSync(join(options.env.HOME, ".signalbox"));
    const rule = (program: string) => `  - { id: ${program}, argv: [${program}], verdict: allow }\n`;
    const policy = `version: 1\nrules:\n${rule("chmod")}${rule("rm")}`;
    writeFileSync(join(options.env.HOME, ".signalbox/policy.yaml"), policy);
    const script = JSON.stringify([
      { bash: "echo more >> a.txt && echo new > new.txt && rm c/d.txt" },
      { bash: "echo x > hidden.txt && chmod 000 b.txt hidden.txt" },
    ]);
    const run = await signalbox(["run", "mock", "t", "--param", `script=${script}`], options);
    expect(run).toMatchObject({ code: 0 });
    const { stdout } = await signalbox(["receipt", "show", "last"], options);
    for (const name of ["b.txt", "hidden.txt"]) chmodSync(join(cwd, name), 0o600);
    const unknown = "cannot be read, so its changes are unknown";
    expect(/^files +(.*\n(?: .*\n)*)/m.exec(stdout)?.[1]?.split(/\n */)).toEqual([
      "5 changed, +2 -1",
      "M a.txt +1 -0",
      "D c/d.txt +0 -1",
      "A new.txt +1 -0",
      `? b.txt ${unknown}`,
      `? hidden.txt ${unknown}`,
      "",
    ]);
  },
);
