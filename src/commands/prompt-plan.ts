import type { Command } from "commander";
import { parseMode, planDelivery, requestedMode } from "../agents/deliver-prompt.ts";
import { agentNamed, AGENTS } from "../agents/packs.ts";
import type { DeliveryMode } from "../contract/agent.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import type { CommandModule } from "./command-module.ts";
import { countFlag, printJson, textFlag } from "./flags.ts";

const LONG_PROMPT = 65_536;
const NAMES = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(AGENTS.map(({ name }) => name));

export const command: CommandModule = {
  configure(command: Command) {
    command
      .requiredOption("--agent <agent>", NAMES)
      .option("--mode <mode>", "auto, argv, tempfile or stdin (default: SIGNALBOX_PROMPT_DELIVERY)")
      .option("--bytes <n>", `prompt size in bytes, assumed to be ASCII (default: ${LONG_PROMPT})`)
      .option("--json", "print {agent, requested, selected, warnings, error?}")
      .addHelpText(
        "after",
        "\nStarts nothing. Exits with 0 even if the prompt would be refused: check 'error'.\n\nExample:\n  signalbox prompt-plan --agent codex --mode tempfile --json",
      );
  },

  async run({ flags }) {
    const agent = agentNamed(textFlag(flags, "agent") ?? "", "--agent");
    const bytes = countFlag(flags, "bytes", Number.MAX_SAFE_INTEGER) ?? LONG_PROMPT;
    const request = requestFrom(textFlag(flags, "mode"));
    const planned = planDelivery(agent, request.mode, { bytes, characters: bytes });
    const plan = { ...planned, warnings: [...request.warnings, ...planned.warnings] };
    if (flags["json"] === true) printJson(plan);
    else {
      const lines = [
        `agent: ${plan.agent}`,
        `requested: ${plan.requested}`,
        `selected: ${plan.selected ?? "none"}`,
        ...plan.warnings.map((warning) => `warning: ${warning}`),
        ...(plan.error === undefined ? [] : [`error: ${plan.error}`]),
      ];
      process.stdout.write(`${lines.join("\n")}\n`);
    }
    return EXIT.ok;
  },
};

function requestFrom(flag: string | undefined): { mode: DeliveryMode; warnings: string[] } {
  if (flag === undefined) return requestedMode(process.env);
  const mode = parseMode(flag);
  if (mode !== undefined) return { mode, warnings: [] };
  throw new UserError("unknown mode", { where: "--mode", fix: "use auto, argv, tempfile or stdin" });
}
