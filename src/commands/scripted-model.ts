import { once } from "node:events";
import * as z from "zod";
import { EXIT, UserError } from "../lib/user-error.ts";
import { captureFile } from "../models/scripted/capture.ts";
import { loadScript } from "../models/scripted/load-script.ts";
import { startScriptedModel } from "../models/scripted/server.ts";
import type { CommandModule } from "./verbs.ts";

/** `signalbox scripted-model`: serves a script until it is told to stop. */
export const command: CommandModule = {
  configure(command) {
    command
      .requiredOption("--script <file>", "the script to play, YAML or JSON")
      .option("--port <number>", "listen on this port of 127.0.0.1 (default: any free one)")
      .option("--capture <file>", "append every request to this file, a line of JSON each")
      .option("--json", "print the address as JSON")
      .addHelpText("after", EXAMPLE);
  },

  async run({ flags }) {
    const { script, port, capture, json } = Flags.parse(flags);
    await using model = await startScriptedModel({
      script: await loadScript(script),
      port: portOf(port),
      ...(capture === undefined ? {} : { onRequest: captureFile(capture) }),
    });
    const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    process.stdout.write(json ? `${JSON.stringify({ url: model.url, port: model.port })}\n` : `${model.url}\n`);
    await stopped;
    return EXIT.ok;
  },
};

const Flags = z.object({
  script: z.string(),
  port: z.string().optional(),
  capture: z.string().optional(),
  json: z.boolean().default(false),
});

function portOf(text = "0"): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UserError(`${text} is not a port`, {
    where: "--port",
    fix: "give a number from 0 to 65535; 0 is any free port",
  });
}

const EXAMPLE = `
Prints one line with its address when it is ready, and runs until SIGINT or SIGTERM.
GET /__requests shows what was asked, GET /__failed which expectations failed.

Example:
  cat > hello.yaml <<'END'
  turns:
    - shell: echo hello > hello.txt
    - text: I wrote hello.txt.
  END
  signalbox scripted-model --script hello.yaml --port 8080 &
  ANTHROPIC_BASE_URL=http://127.0.0.1:8080 ANTHROPIC_API_KEY=none claude -p "write hello.txt" --permission-mode bypassPermissions

Claude Code, Codex, Copilot, Gemini CLI, opencode and pi can be pointed at it: docs/scripted-model.md says how.`;
