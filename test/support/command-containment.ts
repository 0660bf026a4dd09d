import { onTestFinished } from "vitest";
import type { Policy } from "../../src/contract/policy.ts";
import { openContainedSession } from "../../src/sandbox/contained-session.ts";
import {
  type CommandContainment,
  openCommandContainment,
  UNCONTAINED,
} from "../../src/sandbox/run/contained-commands.ts";
import { tempFolder } from "./temp-folder.ts";

/** The containment that a policy asks for, closed with the test. */
export function commandContainment(policy: Policy): CommandContainment {
  if (policy.sandbox === "off") return UNCONTAINED;
  const containment = openCommandContainment({
    isRequired: policy.sandbox !== "auto",
    warn: () => {},
    open: () =>
      openContainedSession({
        policy,
        caller: { session: "test", agent: "native" },
        environment: process.env,
        signalboxHome: tempFolder(),
        network: () => policy.network,
        isTainted: () => false,
        warn: () => {},
      }),
  });
  onTestFinished(() => containment[Symbol.asyncDispose]());
  return containment;
}
