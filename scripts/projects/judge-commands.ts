import { spawnSync } from "node:child_process";
import { z } from "zod";
import { parseJson } from "../../src/lib/json/parse-json.ts";
import { projectEnvironment } from "./run-outside.ts";

const Judged = z.object({ verdict: z.string(), because: z.string() });

/** The commands that the guard would not allow in a proven sandbox, each with its verdict and reason. */
export function commandsNotAllowed(commands: readonly string[], signalbox: string, workspace: string): string[] {
  const input = commands.map((command, id) => `${JSON.stringify({ id: `${id}`, tool: "Bash", input: { command } })}\n`);
  const { stdout, stderr } = spawnSync(signalbox, ["guard", "judge", "--contained", "yes"], {
    cwd: workspace,
    env: projectEnvironment(),
    input: input.join(""),
    encoding: "utf8",
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length !== commands.length) return [`guard judge: ${stderr.trim()}`];
  return lines.flatMap((line, index) => {
    const { verdict, because } = Judged.parse(parseJson(line));
    return verdict === "allow" ? [] : [`${verdict}: ${commands[index]}: ${because}`];
  });
}
