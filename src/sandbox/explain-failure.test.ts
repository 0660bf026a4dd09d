import { expect, test } from "vitest";
import { APPARMOR, DEBIAN_SWITCH, explainFailure, NAMESPACE_LIMIT, type SandboxMachine } from "./explain-failure.ts";

const PLAIN: SandboxMachine = { kernel: "Linux version 6.8.0", settings: {}, inContainer: false, onGithub: false };
const NAMESPACE = "bwrap: setting up uid map: Permission denied";

const PLACES: readonly (readonly [name: string, machine: Partial<SandboxMachine>, because: RegExp, fix: RegExp])[] = [
  ["Ubuntu 23.10 and newer", { settings: { [APPARMOR]: "1" } }, /AppArmor/, /apparmor-profiles/],
  ["a GitHub runner", { settings: { [APPARMOR]: "1" }, onGithub: true }, /GitHub runner/, /add a step/],
  ["Debian with its switch off", { settings: { [DEBIAN_SWITCH]: "0" } }, /only root/, /unprivileged_userns_clone=1/],
  ["a kernel without user namespaces", { settings: { [NAMESPACE_LIMIT]: "0" } }, /switched off/, /max_user_namespaces/],
  ["Docker", { inContainer: true }, /this container/, /--security-opt seccomp=unconfined/],
  ["WSL 1", { kernel: "Linux version 4.4.0-19041-Microsoft" }, /WSL 1/, /WSL 2/],
  ["gVisor", { kernel: "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016" }, /gVisor/, /runtime=runc/],
  ["an unknown place", {}, /does not start on this machine/, /sandbox: off/],
];

test.each(PLACES)("%s is named, with what bubblewrap said and the way to repair it", (_, machine, because, fix) => {
  const explanation = explainFailure(`noise\n${NAMESPACE}\n`, { ...PLAIN, ...machine });
  expect(explanation).toEqual({ because: expect.stringMatching(because), fix: expect.stringMatching(fix) });
  expect(explanation.because).toContain(NAMESPACE);
});

test("AppArmor is not blamed for another failure", () => {
  const machine = { ...PLAIN, settings: { [APPARMOR]: "1" } };
  expect(explainFailure("bwrap: Can't find source path /x", machine).because).toBe(
    "bubblewrap does not start on this machine (bwrap: Can't find source path /x)",
  );
});
