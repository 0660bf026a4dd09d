import { expect, test } from "vitest";
import { runParts, workOrder } from "../../../test/support/run-order.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { OpenHost } from "../../receipts/host.ts";
import { runWorkOrder } from "../../receipts/run/run-work-order.ts";
import type { Policy } from "../../contract/policy.ts";
import { acpHost } from "../acp/acp.ts";
import { copilotHost } from "../copilot/copilot.ts";
import { namedHost } from "../named-host.ts";
import { guardedStarter } from "./start-agent.ts";
import { sidecarHost } from "../sidecar/sidecar.ts";

const ENV = { PATH: "/nowhere", HOME: "/nowhere", SIGNALBOX_AMPLIFIER_BINARY: "/bin/true" };
const NO_PROGRAM = { path: "/nowhere/agent", argv: [] };

const copilotOver = (transport: string): OpenHost => {
  const env = { ...ENV, ABP_COPILOT_TRANSPORT: transport };
  return copilotHost(
    env,
    guardedStarter(env, () => {}),
  );
};

/** Ways to run an agent by which a call cannot be rewritten. */
const WAYS: Readonly<Record<string, () => OpenHost | Promise<OpenHost>>> = {
  "an ACP agent": () => acpHost(NO_PROGRAM, ENV, { name: "agent", version: "1" }),
  "a sidecar": () => sidecarHost(NO_PROGRAM, ENV),
  Amplifier: async () => (await namedHost("amplifier", ENV)).openHost,
  "Copilot over acp": () => copilotOver("acp"),
  "Copilot over sdk": () => copilotOver("sdk"),
};

async function endOf(openHost: OpenHost, sandbox: Policy["sandbox"]) {
  const root = tempFolder();
  const parts = runParts({ root, openHost });
  const steps = await Array.fromAsync(
    runWorkOrder(workOrder({ root }), { ...parts, policy: { ...parts.policy, sandbox } }),
  );
  const end = steps.at(-1);
  if (end?.type !== "run-end") throw new Error("the run has no end");
  return { because: end.because, fix: end.fix, exitCode: end.exitCode };
}

test.each(Object.entries(WAYS))(
  "%s is refused where the policy requires a sandbox, and the end says how to go on",
  async (_, way) => {
    expect(await endOf(await way(), "strict")).toEqual({
      because: expect.stringMatching(/^a sandbox is required, but commands of .* cannot run in one/),
      fix: expect.stringMatching(/sandbox: auto|unset/),
      exitCode: 3,
    });
    expect((await endOf(await way(), "workspace")).exitCode).toBe(3);
    expect((await endOf(await way(), "auto")).because).not.toContain("sandbox");
  },
);
