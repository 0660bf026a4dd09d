import { once } from "node:events";
import { EXIT } from "../lib/text/user-error.ts";
import { captureFile } from "../models/scripted/respond.ts";
import { loadScript } from "../models/scripted/script.ts";
import { startScriptedModel } from "../models/scripted/server.ts";
import { countFlag, printJson, textFlag } from "./flags.ts";
import type { CommandModule } from "./command-module.ts";

/** `signalbox scripted-model`: serves a script until it is stopped. */
export const command: CommandModule = {
  configure(command) {
    command
      .requiredOption("--script <file>", "the script to play, YAML or JSON")
      .option("--port <number>", "listen on this port of 127.0.0.1 (default: any free one)")
      .option("--capture <file>", "append every request to this file, one JSON line each")
      .option("--json", "print the address as JSON")
      .addHelpText("after", EXAMPLE);
  },

  async run({ flags }) {
    const capture = textFlag(flags, "capture");
    await using model = await startScriptedModel({
      script: loadScript(textFlag(flags, "script") ?? ""),
      port: countFlag(flags, "port", 65_535) ?? 0,
      ...(capture === undefined ? {} : { onRequest: captureFile(capture) }),
    });
    const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    if (flags["json"] === true) printJson({ url: model.url, port: model.port });
    else process.stdout.write(`${model.url}\n`);
    await stopped;
    return EXIT.ok;
  },
};

const EXAMPLE = `
Prints one line with its address when it is ready, and runs until SIGINT or SIGTERM.
GET /__requests lists the requests it received, GET /__failed the expectations that failed.

Example:
  cat > hello.yaml <<'END'
  turns:
    - shell: echo hello > hello.txt
    - text: I wrote hello.txt.
  END
  signalbox scripted-model --script hello.yaml --port 8080 &
  ANTHROPIC_BASE_URL=http://127.0.0.1:8080 ANTHROPIC_API_KEY=none claude -p "write hello.txt" --permission-mode bypassPermissions

Claude Code, Codex, Copilot, Gemini CLI, opencode and pi can use it; see docs/scripted-model.md.`;
