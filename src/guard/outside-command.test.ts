import { expect, test } from "vitest";
import { mergePolicy } from "./policy/merge-policy.ts";
import { judge } from "./judge/judge.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import { leaveSandbox, outsideCommand, outsideDecision } from "./signalbox-calls.ts";
import { explainToModel } from "./explain.ts";
import { HELD_PARTS } from "../contract/agent-call.ts";
import { parse } from "yaml";
import { PolicyFile } from "../contract/policy.ts";

test.each([
  ["signalbox outside -- git push", { kind: "outside", command: "git push" }],
  ["npx signalbox outside -- git commit -m 'a; b'", { kind: "outside", command: "git commit -m 'a; b'" }],
  ["signalbox sandbox outside -- git push", { kind: "outside", command: "git push" }],
  ["npm test; signalbox 'sandbox' outside -- git push", { kind: "mixed" }],
  ["signalbox sandbox -- git push", { kind: "none" }],
  ["git push", { kind: "none" }],
  ["signalbox outside -- git push && rm x", { kind: "mixed" }],
  ["npm test; signalbox outside -- git push", { kind: "mixed" }],
  ["signalbox outside -- echo $(id)", { kind: "mixed" }],
  ["signalbox outside -- echo $HOME", { kind: "mixed" }],
  ['signalbox outside -- echo "$HOME"', { kind: "mixed" }],
  ["signalbox outside -- a > b", { kind: "mixed" }],
  ["signalbox outside -- a\nb", { kind: "mixed" }],
  ["signalbox outside", { kind: "mixed" }],
  ["signalbox outside --", { kind: "mixed" }],
  ["signalbox outside git push", { kind: "mixed" }],
  ["FOO=1 signalbox outside -- ls", { kind: "mixed" }],
  ["'signalbox' 'outside' -- ls", { kind: "mixed" }],
])("%s", (source, wanted) => {
  expect(outsideCommand(source)).toEqual(wanted);
});

const EXACT = {
  version: 1,
  rules: [
    { id: "push-main", argv: ["git", "push", "origin", "main"], exact: true, verdict: "allow" },
    { id: "ps", argv: ["docker", "ps"], exact: true, verdict: "allow", contained: false },
  ],
};

test.each([
  ["git push origin main", true, "allow"],
  ["git push origin main", false, "allow"],
  ["git push origin other", true, "ask"],
  ["ls", true, "ask"],
  ["ls", false, "deny"],
  ["sudo ls", true, "deny"],
  // A preset allows it too.
  ["docker ps", false, "allow"],
  ["docker ps -a", false, "deny"],
  ["env A=1 docker ps", true, "ask"],
])("leaving the sandbox with `%s`, a person there: %s", (command, interactive, verdict) => {
  const file = PolicyFile.parse(EXACT);
  const merged = mergePolicy([{ origin: "user", trusted: true, file }], { workspaceRoot: "/w", home: "/h" });
  const policy = {
    ...merged,
    rules: merged.rules.filter(({ id }) => !id.startsWith("publish")),
    interactive,
  };
  const decision = judge({ tool: "Bash", input: { command }, cwd: "/w" }, policy, fakeMachine({}));
  expect(outsideDecision(command, decision, policy)).toMatchObject({ verdict, contained: false });
});

test("a denial names the line of the policy that would allow it, and that line does", () => {
  const load = (rules: unknown[], interactive: boolean) => {
    const file = PolicyFile.parse({ version: 1, rules });
    const policy = mergePolicy([{ origin: "user", trusted: true, file }], { workspaceRoot: "/w", home: "/h" });
    return { ...policy, interactive };
  };
  const call = { tool: "Bash", input: { command: "signalbox outside -- docker ps -f 'name=a b'" }, cwd: "/w" };
  const machine = { ...fakeMachine({}), contained: HELD_PARTS };
  const policy = load([], false);
  const denied = leaveSandbox(call, policy, machine, judge);
  const text = denied === undefined ? "" : explainToModel(denied);
  expect(text).toContain("Blocked `docker ps -f 'name=a b'`: runs outside the sandbox");
  const [, rule = ""] = /add the rule (\{.*\}) in ~\/\.signalbox\/policy\.yaml/.exec(text) ?? [];
  expect(leaveSandbox(call, load([parse(rule)], false), machine, judge)).toMatchObject({
    verdict: "allow",
    contained: false,
  });
  expect(leaveSandbox(call, policy, { ...machine, contained: [] }, judge), "a sandbox that holds nothing is none").toBe(
    undefined,
  );
});
