import { EXIT, UserError } from "../../lib/user-error.ts";
import { once, textFlag } from "../flags.ts";
import type { CommandModule } from "../command-module.ts";
import { listModels } from "./list-models.ts";
import { setModel } from "./set-model.ts";
import { showModel } from "./show-model.ts";

/** `signalbox models`: providers, keys, and what is known about models. Sends no requests. */
export const command: CommandModule = {
  configure(command) {
    command
      .argument("[name]", "provider/model: show how it would be called")
      .option("--set <name>", "use this model from now on (writes ~/.signalbox/settings.yaml)", once)
      .option("--base-url <url>", "base URL of the provider", once)
      .option("--json", "print JSON")
      .addHelpText("after", EXAMPLES);
  },

  async run({ words, flags }) {
    const [name] = words;
    const wanted = textFlag(flags, "set");
    const options = { baseUrl: textFlag(flags, "baseUrl"), json: flags["json"] === true };
    if (wanted !== undefined && name !== undefined) {
      throw new UserError("--set already names a model", { where: name, fix: "pass one of the two" });
    }
    if (wanted !== undefined) setModel(wanted, options);
    else if (name !== undefined) showModel(name, options);
    else listModels(options.json);
    return EXIT.ok;
  },
};

const EXAMPLES = `
Examples:
  signalbox models                                          lists providers and known models
  signalbox models anthropic/claude-haiku-4-5               shows how it would be called
  signalbox models --set anthropic/claude-sonnet-5          uses it from now on
  signalbox models --set compatible/qwen3 --base-url http://127.0.0.1:8080/v1`;
