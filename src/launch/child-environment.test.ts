import { expect, test } from "vitest";
import { agentNamed } from "../agents/packs.ts";
import { childEnvironment, commandEnvironment, secretFlags } from "./child-environment.ts";

const [claude, copilot] = [agentNamed("claude", ""), agentNamed("copilot", "")];
const ENV = {
  PATH: "/usr/bin",
  PYTHONPATH: "/mine",
  LD_PRELOAD: "/evil.so",
  NODE_OPTIONS: "",
  CODEX_SANDBOX: "1",
  OPENCODE: "1",
  GH_TOKEN: "secret",
  UNWANTED: "x",
  SIGNALBOX_DROP_ENV: "OTHER, UNWANTED",
  SIGNALBOX_IGNORED: "0",
};

test("an agent gets the user's variables, without code, other sessions, other logins and the user's own list", () => {
  const { SIGNALBOX_RUN: run, SIGNALBOX_AGENT: agent, ...child } = childEnvironment(claude, ENV, "run-1");
  expect([run, agent]).toEqual(["run-1", "claude"]);
  expect(child).toMatchObject({ PATH: "/usr/bin", PYTHONPATH: "/mine", NODE_OPTIONS: "" });
  const gone = ["LD_PRELOAD", "CODEX_SANDBOX", "OPENCODE", "GH_TOKEN", "UNWANTED", "SIGNALBOX_IGNORED"];
  expect(gone.filter((name) => name in child)).toEqual([]);
  expect(childEnvironment(copilot, ENV, "run-1")["GH_TOKEN"]).toBe("secret");
});

test("another program of a run gets them without code and sessions, and with every login", () => {
  const child = commandEnvironment(ENV, "run-1");
  expect(child).toMatchObject({ PATH: "/usr/bin", GH_TOKEN: "secret", UNWANTED: "x", SIGNALBOX_RUN: "run-1" });
  const gone = ["LD_PRELOAD", "NODE_OPTIONS", "CODEX_SANDBOX", "OPENCODE", "SIGNALBOX_IGNORED"];
  expect(gone.filter((name) => name in child)).toEqual([]);
});

test.each([
  [copilot, ENV, [], ["--secret-env-vars=GH_TOKEN"]],
  [copilot, { ...ENV, GH_TOKEN: "" }, [], []],
  [copilot, { ...ENV, SIGNALBOX_DROP_ENV: "GH_TOKEN" }, [], []],
  [copilot, ENV, [copilot.subcommands[0] ?? ""], []],
  [claude, ENV, [], []],
] as const)("an agent's own logins are hidden from its tools", (agent, env, flags, expected) => {
  expect(secretFlags(agent, env, flags)).toEqual(expected);
});
