import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

const HOOKLESS = join(PROJECT, "test/fixtures/hookless-agent.ts");

/** A Claude Code that never asks a hook. */
const hookless = () =>
  standInAgent(
    "claude",
    `[ "$1" = --version ] && { echo 9.8.7; exit; }\nexec '${process.execPath}' '${HOOKLESS}' </dev/null`,
  );

interface Finding {
  readonly id: string;
  readonly verdict: string;
  readonly because: string;
}

test("an agent that asks no hook fails, is said to, and may not be started where a proof is required", async () => {
  const { env, home } = hookless();
  const proved = await signalbox(["prove", "claude", "--json"], { cwd: tempFolder(), env });
  expect([proved.code, proved.stderr]).toEqual([1, ""]);
  const report: { agents: readonly { agent: string; version: string; guarantees: readonly Finding[] }[] } = JSON.parse(
    proved.stdout,
  );
  const [agent] = report.agents;
  const finding = (id: string) => agent?.guarantees.find((each) => each.id === id);
  expect([report.agents.length, agent?.agent, agent?.version]).toEqual([1, "claude", "9.8.7"]);
  expect(finding("deny")).toEqual({
    id: "deny",
    verdict: "FAIL",
    because: "a denied call ran: no-plain, no-written",
  });
  expect(agent?.guarantees.filter(({ verdict }) => verdict === "PASS")).toEqual([]);
  expect(finding("fault.exit-1")?.because).toContain("a denied call ran: no-2-exit-1");
  expect([readdirSync(home), readdirSync(join(home, ".signalbox", "proofs"))]).toEqual([
    [".signalbox"],
    ["claude.json"],
  ]);
  expect(leftovers(home)).toEqual([]);

  const cwd = tempRepository();
  const required = await signalbox(["claude", "--require-proof", "-p", "x"], { cwd, env });
  expect([required.code, required.stderr]).toEqual([3, expect.stringContaining("does not obey the rules")]);
  const doctor = await signalbox(["doctor", "--verbose"], { cwd, env });
  expect([doctor.code, /^fail +proof\.claude +this Claude Code does not obey the rules/m.test(doctor.stdout)]).toEqual([
    1,
    true,
  ]);
}, 180_000);

test("agents that are not there, cannot be held or do not exist are named, each with its exit code", async () => {
  const bare = { PATH: "/usr/bin:/bin", HOME: tempFolder() };
  const prove = async (...words: string[]) => {
    const { code, stderr } = await signalbox(["prove", ...words], { cwd: tempFolder(), env: bare });
    return [code, stderr.split("\n")[0]];
  };
  expect(await prove("claude")).toEqual([127, "signalbox: Claude Code is not installed: no 'claude' was found"]);
  expect(await prove()).toEqual([127, "signalbox: no supported agent is installed"]);
  expect(await prove("amplifier")).toEqual([
    3,
    "signalbox: Microsoft Amplifier has no hooks, so there is nothing to test",
  ]);
  expect(await prove("clade")).toEqual([2, "signalbox: unknown agent"]);
  expect(await prove("--require", "deny,denial")).toEqual([2, "signalbox: unknown guarantee: denial"]);
});

test.each([
  ["SIGINT", 130],
  ["SIGQUIT", 131],
] as const)("a proof interrupted by %s ends its agent, cleans up and keeps nothing", async (signal, code) => {
  const { env, home } = standInAgent("claude", '[ "$1" = --version ] && { echo 9.8.7; exit; }\nexec sleep 60');
  const base = join(home, "..");
  const running = await signalbox(["prove", "claude"], {
    cwd: tempFolder(),
    env,
    during: async (child) => {
      while (!readdirSync(base).some((name) => name.startsWith("signalbox-proof-home"))) await pause();
      child.kill(signal);
    },
  });
  expect([running.code, readdirSync(join(home, ".signalbox", "proofs"))]).toEqual([code, []]);
  expect(leftovers(home)).toEqual([]);
});

/** What a proof made beside the home and did not take away. */
const leftovers = (home: string) => readdirSync(join(home, "..")).filter((name) => name.startsWith("signalbox-proof"));

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
