import type { Command } from "commander";
import { printable } from "../../lib/text/printable.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { applyWanted, readManifest } from "../../staging/apply.ts";
import { planStage } from "../../staging/plan-stage.ts";
import { STAGED_AGENTS } from "../../staging/sources/staged-agents.ts";
import { carryTrust, repositoryHere, stagedAgents } from "./staging-place.ts";
import type { CommandModule } from "../command-module.ts";

export const command: CommandModule = {
  firstWords: () => STAGED_AGENTS,

  configure(unstage: Command) {
    unstage
      .argument("[agents...]", "only what was staged for these agents (default: everything)")
      .addHelpText("after", HELP);
  },

  async run({ words }) {
    const place = repositoryHere();
    const manifest = readManifest(place.root);
    if (manifest === undefined) {
      process.stdout.write("Nothing is staged here.\n");
      return EXIT.ok;
    }
    const named = stagedAgents(words);
    using _trust = carryTrust(place);
    const { written, deleted, kept } = await applyWanted(place, (known = manifest) => {
      const agents = named.length === 0 ? [] : known.agents.filter((agent) => !named.includes(agent));
      const xpia = named.length > 0 && known.xpia === true;
      return planStage({ ...place, env: process.env, agents, required: known.required, xpia });
    });
    const lines = [...deleted.map((path) => `removed  ${path}`), ...written.map((path) => `restored ${path}`)];
    process.stdout.write(printable([...lines, ""].join("\n")));
    for (const { path, because } of kept) say(`left unchanged: ${path}: ${because}`);
    return kept.length === 0 ? EXIT.ok : EXIT.failed;
  },
};

const HELP = `
Removes exactly what signalbox stage wrote. A file that was not edited since is restored byte for byte; from an edited
file only our part is removed; if our part itself was edited, the file is left unchanged and listed.

Exit codes: 0 everything removed; 1 something was left.

Examples:
  signalbox unstage          everything
  signalbox unstage codex    only what was staged for Codex alone`;
