import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { PROJECT } from "../support/run-signalbox.ts";
import { isInstalled, program, realAgent, type RealAgent } from "./real-agent.ts";

type WiredName = "gemini" | "opencode" | "pi";
const WIRED = (["gemini", "opencode", "pi"] as const).filter(isInstalled);

const SCRIPT = { turns: [{ shell: "touch .git/hooks/denied" }, { shell: "touch allowed" }, { text: "done" }] };

/** Runs an agent that signalbox does not launch, wired as docs/hooks.md says. */
async function run(name: WiredName, agent: RealAgent): Promise<number | null> {
  const env = { ...agent.env, PATH: `${join(PROJECT, "bin")}${delimiter}${agent.env["PATH"]}` };
  const child = spawn(program(name), ARGS[name], {
    cwd: agent.cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: 90_000,
  });
  child.stdin.end("go");
  await Promise.all([text(child.stdout), text(child.stderr)]);
  return child.exitCode;
}

const ARGS: Readonly<Record<WiredName, readonly string[]>> = {
  gemini: ["--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
  opencode: ["run", "go"],
  pi: ["-p", "--model", "fake/fake-model", "-e", join(PROJECT, "wiring/pi.ts")],
};

/** The block of JSON that the documentation gives to users of Gemini CLI. */
function documentedHooks(): object {
  const page = readFileSync(join(PROJECT, "docs/hooks.md"), "utf8");
  return JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "{}");
}

test.each(WIRED)(
  "%s, wired as the documentation says, does not run what the rules deny",
  async (name) => {
    await using agent = await realAgent(name, SCRIPT);
    if (name === "gemini") {
      const settings = join(agent.env["HOME"] ?? "", ".gemini/settings.json");
      mkdirSync(join(settings, ".."), { recursive: true });
      writeFileSync(settings, JSON.stringify({ ...JSON.parse(readFileSync(settings, "utf8")), ...documentedHooks() }));
    }
    await run(name, agent);
    expect({
      denied: existsSync(join(agent.cwd, ".git/hooks/denied")),
      allowed: existsSync(join(agent.cwd, "allowed")),
    }).toEqual({
      denied: false,
      allowed: true,
    });
  },
  120_000,
);
