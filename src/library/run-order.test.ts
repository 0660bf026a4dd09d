import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../test/support/git-repository.ts";
import { standInAgent } from "../../test/support/stand-in-agent.ts";
import { tempRepository } from "../../test/support/temp-folder.ts";
import { newWorkOrder, runOrder } from "./run-order.ts";

const STRICT = "version: 1\nsandbox: strict\n";

test.each([
  ["of the user", { policy: STRICT, root: tempRepository }],
  [
    "of the workspace that the order names",
    { policy: undefined, root: () => repositoryWith({ ".signalbox/policy.yaml": STRICT }) },
  ],
])("an agent that cannot be contained is refused by the rules %s, before a run begins", async (_, { policy, root }) => {
  const { env, home, recorded } = standInAgent("amplifier");
  if (policy !== undefined) writeFileSync(join(home, ".signalbox/policy.yaml"), policy);
  const order = newWorkOrder("do it", { workspace: { root: root() } });
  const run = runOrder(order, {
    agent: "amplifier",
    cwd: tempRepository(),
    env: { ...env, SIGNALBOX_HOME: join(home, ".signalbox") },
  });
  await expect(run.result()).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining("a sandbox is required"),
  });
  expect([recorded(), existsSync(join(home, ".signalbox/runs"))]).toEqual([undefined, false]);
});
