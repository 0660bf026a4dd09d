import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { findBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import type { NestedCalls } from "../agents/pack/agent-pack.ts";
import { findPack } from "../agents/packs.ts";
import { launchAgent } from "../launch/launch.ts";
import { currentFolder } from "../lib/path/workspace.ts";
import { say } from "../lib/process/standard-streams.ts";
import { EXIT } from "../lib/text/user-error.ts";
import type { CommandModule } from "./command-module.ts";
import { printJson } from "./flags.ts";

export const command: CommandModule = {
  takesPassed: true,
  configure(command: Command, verb: string) {
    const name = agentOf(verb);
    command
      .usage(`[--print] -- ${name}'s arguments`)
      .option("--print", "print the resulting arguments as a JSON array without starting anything")
      .addHelpText(
        "after",
        `\nIf signalbox's 'shims' folder is first on PATH, programs that start ${name} by name end up here.\n\nExample:\n  signalbox ${verb} --print -- --append-system-prompt 'Be brief.' -p 'Fix the test.'`,
      );
  },

  async run({ verb, flags, passed = [] }) {
    const { agent, calls } = await nestedAgent(agentOf(verb));
    const { nestedArgv, normaliseNested, PERMISSIVE_PREFIX } = calls;
    const nested = normaliseNested(passed);
    const prefix = PERMISSIVE_PREFIX.join(" ");
    if (flags["print"] === true) {
      if (nested.undecided) say(`no tool or path permissions were given: ${prefix} is added`);
      printJson(nestedArgv(nested));
      return EXIT.ok;
    }
    if (nested.undecided)
      say(`no tool or path permissions were given: ${prefix} is added, and the guard judges every call`);
    const scoped = nested.forbiddenTools.filter((tool) => /\W/.test(tool));
    if (scoped.length > 0) say(`forbidden only in the prompt, because these are not tool names: ${scoped.join(", ")}`);
    const cwd = currentFolder();
    return await launchAgent({
      agent,
      binary: findBinary(agent, process.env, [cwd]),
      flags: nested.undecided ? [...PERMISSIVE_PREFIX, ...nested.flags] : nested.flags,
      prompt: nested.prompt === undefined ? undefined : Buffer.from(nested.prompt),
      cwd,
      env: process.env,
      version: manifest.version,
      deniedTools: nested.forbiddenTools.filter((tool) => !scoped.includes(tool)),
      warn: say,
    });
  },
};

const agentOf = (verb: string) => verb.replace(/^nested-/, "");

async function nestedAgent(name: string): Promise<{ agent: Agent; calls: NestedCalls }> {
  const pack = findPack(name);
  const calls = await pack?.nested?.();
  if (pack === undefined || calls === undefined) throw new Error(`${name} does not accept calls for another agent`);
  return { agent: pack.program, calls };
}
