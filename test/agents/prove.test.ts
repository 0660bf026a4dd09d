import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemProcesses } from "../../src/hosts/program/system-processes.ts";
import { expect, test } from "vitest";
import { findBinary } from "../../src/agents/find-binary.ts";
import { agentNamed } from "../../src/agents/packs.ts";
import { FAULT_IDS, GUARANTEE_IDS, PARTLY_IDS } from "../../src/proof/guarantees.ts";
import { tryCalls } from "../../src/proof/plan-calls.ts";
import { tryNothingLeft } from "../../src/proof/plan-contained.ts";
import { tryFaults } from "../../src/proof/faults.ts";
import { onTrialStages } from "../../src/proof/prove.ts";
import { PROOF_POLICY } from "../../src/proof/trial-stage.ts";
import { judgeTrials } from "../../src/proof/trial.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { tempFolder, tempRepository } from "../support/temp-folder.ts";
import { PINNED, PROVABLE, realAgent, UNATTENDED } from "./real-agent.ts";

const MINUTES = 60_000;

/** A home that holds nothing yet, and the pinned agents on PATH. */
const freshHome = () => ({ PATH: PINNED, HOME: tempFolder() });

test(
  "every guarantee passes on the pinned agents, and a launch may then require the proof",
  { timeout: 6 * MINUTES },
  async () => {
    const env = freshHome();
    const { code, stdout } = await signalbox(["prove", ...PROVABLE, "--json", "--require", REQUIRED.join(",")], {
      cwd: tempFolder(),
      env,
    });
    const report: { agents: readonly Proved[] } = JSON.parse(stdout);
    const others = report.agents.flatMap(({ agent, guarantees }) =>
      guarantees.filter(({ verdict }) => verdict !== "PASS").map((finding) => ({ agent, ...finding })),
    );
    expect(others).toEqual([
      {
        agent: "copilot",
        id: "own-ask-rule",
        verdict: "INCONCLUSIVE",
        because: "GitHub Copilot CLI has no rules that ask",
      },
    ]);
    expect(report.agents.map(({ agent, guarantees }) => [agent, guarantees.map(({ id }) => id)])).toEqual(
      PROVABLE.map((name) => [name, HERE]),
    );
    expect(report.agents.map(({ version, binarySha256 }) => [version, binarySha256])).toEqual(
      PROVABLE.map(() => [expect.stringMatching(/\d\.\d/), expect.stringMatching(/^[0-9a-f]{64}$/)]),
    );
    expect(code).toBe(0);
    for (const name of PROVABLE) {
      const required = await signalbox([name, "--require-proof", "--", "--version"], { cwd: tempRepository(), env });
      expect(required.code).toBe(0);
    }
  },
);

/** The rows of the weaker form are not those of a machine with the whole one. */
const HERE = GUARANTEE_IDS.filter((id) => !PARTLY_IDS.some((other) => other === id));

/** Not every agent has rules that ask. */
const REQUIRED = HERE.filter((id) => id !== "own-ask-rule");

interface Proved {
  readonly agent: string;
  readonly version: string;
  readonly binarySha256: string;
  readonly guarantees: readonly { readonly id: string; readonly verdict: string; readonly because: string }[];
}

test("no fault lets a denied call run under signalbox", { timeout: 6 * MINUTES }, async () => {
  const { code, stdout } = await signalbox(["prove", ...PROVABLE, "--faults", "--json"], {
    cwd: tempFolder(),
    env: freshHome(),
  });
  const report: { agents: readonly { faults: readonly Compared[] }[] } = JSON.parse(stdout);
  expect(report.agents.map(({ faults }) => faults.map(({ id, guarded }) => [id, guarded]))).toEqual(
    PROVABLE.map(() => FAULT_IDS.map((id) => [id, "blocked"])),
  );
  expect(code).toBe(0);
});

interface Compared {
  readonly id: string;
  readonly guarded: string;
}

test("a wrapper that was broken on purpose is found out", { timeout: 4 * MINUTES }, async () => {
  const candidates = PROVABLE.map((name) => {
    const agent = agentNamed(name, "test");
    return { agent, name, binary: findBinary(agent, { PATH: PINNED }, []) };
  });
  const parts = {
    version: "test",
    env: { PATH: PINNED },
    signal: AbortSignal.timeout(4 * MINUTES),
    tell: () => {},
    processesFor: systemProcesses,
    sabotage: ({ wrapper }: { readonly wrapper: string }) =>
      writeFileSync(wrapper, "#!/bin/sh\ncat >/dev/null\necho '{}'\n"),
  };
  const verdicts = await onTrialStages(candidates, parts, async (stage) => {
    const trials = [...(await tryCalls(stage)), ...(await tryFaults(stage))];
    return (["deny", "parallel", "fault.policy-broken", "fault.server-killed"] as const).map(
      (id) => judgeTrials(id, trials).verdict,
    );
  });
  expect(verdicts).toEqual(PROVABLE.map(() => ["FAIL", "FAIL", "FAIL", "FAIL"]));
});

test("a sandbox that is not looked after is found out", { timeout: 4 * MINUTES }, async () => {
  const candidates = PROVABLE.map((name) => {
    const agent = agentNamed(name, "test");
    return { agent, name, binary: findBinary(agent, { PATH: PINNED }, []) };
  });
  const homes: string[] = [];
  const parts = {
    version: "test",
    env: { PATH: PINNED },
    signal: AbortSignal.timeout(4 * MINUTES),
    tell: () => {},
    processesFor: systemProcesses,
    // Without this list, nobody looks from outside when the session has ended.
    sabotage() {
      for (const folder of homes.map((home) => join(home, "s")).filter((each) => existsSync(each)))
        for (const name of readdirSync(folder)) rmSync(join(folder, name, "places.json"), { force: true });
    },
  };
  const results = await onTrialStages(candidates, parts, async (stage) => {
    homes.push(stage.signalbox);
    return judgeTrials("nothing-left", await tryNothingLeft(stage));
  });
  expect(results.map(({ verdict }) => verdict)).toEqual(PROVABLE.map(() => "FAIL"));
  for (const { because } of results) expect(because).toMatch(/^not held: a program of git status in \S+\/other$/);
});

test.each(
  PROVABLE.flatMap((name) => [
    // Its sandbox ends with signalbox, so nothing more can run.
    [name, "auto", false] as const,
    [name, "off", true] as const,
  ]),
)(
  "after a kill -9 of signalbox, %s with sandbox: %s never runs what is denied; what is allowed: %s",
  async (name, sandbox, goesOn) => {
    await using agent = await realAgent(name, {
      turns: [
        { shell: "touch ok-before" },
        // Time to kill signalbox while the model thinks.
        { shell: ["touch no-orphaned", "touch ok-orphaned"], delay_ms: 3000 },
        { text: "done" },
      ],
    });
    const folder = join(agent.env["HOME"] ?? "", ".signalbox");
    mkdirSync(folder);
    writeFileSync(join(folder, "policy.yaml"), `${PROOF_POLICY}sandbox: ${sandbox}\n`);
    const exists = (file: string) => existsSync(join(agent.cwd, file));
    const until = async (condition: () => boolean) => {
      for (let tries = 0; tries < 1500 && !condition(); tries++) await sleep(20);
    };
    await signalbox([name, "-p", "work", "--", ...UNATTENDED[name]], {
      cwd: agent.cwd,
      env: agent.env,
      during: async (child) => {
        await until(() => agent.model.requests.some(({ turn }) => turn === 1));
        child.kill("SIGKILL");
        await until(() => agent.model.requests.some(({ turn }) => turn === 2));
      },
    });
    expect([exists("ok-before"), exists("no-orphaned"), exists("ok-orphaned")]).toEqual([true, false, goesOn]);
  },
);
