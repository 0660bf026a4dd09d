import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { chooseInstalled } from "./active-agent.ts";
import { AGENTS } from "./packs.ts";

const agents = AGENTS.map((agent) => ({ ...agent, knownPlaces: [] }));

/** The agent chosen in a fresh folder when these programs are on PATH. */
function choose(programs: readonly string[], env: NodeJS.ProcessEnv = {}, context?: "reachable" | "guarded") {
  const [bin, cwd] = [tempFolder(), tempFolder()];
  for (const name of programs) {
    writeFileSync(join(bin, name), "#!/bin/sh\n");
    chmodSync(join(bin, name), 0o755);
  }
  const said: string[] = [];
  const reachable = context === "reachable" ? (["copilot"] as const) : [];
  const warn = (text: string) => void said.push(text);
  const canReplace = ({ name }: { readonly name: string }) => context !== "guarded" || name !== "amplifier";
  const search = { agents, canReplace, cwd, reachable, warn, env: { PATH: bin, HOME: cwd, ...env } };
  return { choose: () => chooseInstalled(search), said };
}

test.each([
  [["copilot", "claude"], {}, "copilot", []],
  [["codex"], {}, "codex", ["no agent was given, using codex (installed: codex)"]],
  [["codex", "claude"], {}, "claude", ["no agent was given, using claude (installed: claude, codex)"]],
  [["codex", "claude"], { SIGNALBOX_AGENT: "codex" }, "codex", []],
  [[], { SIGNALBOX_AGENT: "native" }, "native", []],
  [["claude", "copilot"], { SIGNALBOX_AGENT: "../x" }, "copilot", ["SIGNALBOX_AGENT is ignored: it contains a path"]],
])("with %j installed and %j set, %s does the work", (programs, env, agent, words) => {
  const { choose: chosen, said } = choose(programs, env);
  expect([chosen(), said]).toEqual([agent, words]);
});

test("an agent that is reached in another way counts as installed", () => {
  expect(choose(["claude"], {}, "reachable").choose()).toBe("copilot");
});

test("without any agent, and without the one that a variable names, it is not found", () => {
  expect(choose([]).choose).toThrowError(expect.objectContaining({ exitCode: 127, message: "no agent is installed" }));
  expect(choose(["claude", "codex"], { SIGNALBOX_AGENT: "copilot" }).choose).toThrowError(
    expect.objectContaining({
      exitCode: 127,
      message: "copilot is the active agent, but it is not installed",
      where: "installed: claude, codex",
      fix: 'choose one: signalbox run claude "TASK"',
    }),
  );
});

test("an agent that must not replace another one is used only when it was chosen", () => {
  expect(choose(["amplifier"], { SIGNALBOX_AGENT: "amplifier" }, "guarded").choose()).toBe("amplifier");
  expect(choose(["amplifier"], {}, "guarded").choose).toThrowError(
    expect.objectContaining({ message: "no agent is installed", where: "tried: claude, copilot, codex, gemini" }),
  );
});
