import { expect, test } from "vitest";
import * as z from "zod";
import { LooseWorkOrder, WorkOrder } from "./work-order.ts";

const order = {
  id: "A1A1A1A1-b2b2-4c3c-8d4d-e5e5e5e5e5e5",
  task: "mend the test",
  lane: "patch_first",
  workspace: { root: ".", mode: "staged", include: [], exclude: ["**/*.log"] },
  context: { files: ["notes.md"], snippets: [{ name: "hint", content: "look at the clock" }] },
  policy: {
    allowed_tools: [],
    disallowed_tools: ["KillBash"],
    deny_read: ["**/.env"],
    deny_write: [],
    allow_network: [],
    deny_network: [],
    require_approval_for: [],
  },
  requirements: { required: [{ capability: "streaming", min_support: "any" }] },
  config: { vendor: { abp: { mode: "mapped" } }, env: { CI: "1" } },
};

const problems = (value: unknown) => z.prettifyError(WorkOrder.safeParse(value).error ?? new z.ZodError([]));

test("a whole order is read, with its limits open and its id in lower case", () => {
  expect(WorkOrder.parse(order)).toEqual({
    ...order,
    id: "a1a1a1a1-b2b2-4c3c-8d4d-e5e5e5e5e5e5",
    config: { ...order.config, model: null, max_budget_usd: null, max_turns: null },
  });
});

test.each([
  ["a missing part", { ...order, policy: undefined }, "at policy"],
  ["a missing list of the policy", { ...order, policy: { ...order.policy, deny_read: undefined } }, "policy.deny_read"],
  ["an unknown rule", { ...order, policy: { ...order.policy, deny_reads: [] } }, 'Unrecognized key: "deny_reads"'],
  ["an unknown part", { ...order, budget: 1 }, 'Unrecognized key: "budget"'],
  ["an empty task", { ...order, task: " \n" }, "at task"],
  ["an unknown lane", { ...order, lane: "fast" }, "at lane"],
  ["a fraction of a turn", { ...order, config: { ...order.config, max_turns: 1.5 } }, "config.max_turns"],
  ["a budget below nothing", { ...order, config: { ...order.config, max_budget_usd: -1 } }, "config.max_budget_usd"],
  ["a variable that cannot be set", { ...order, config: { ...order.config, env: { "A=B": "" } } }, "config.env"],
  ["a NUL in a path", { ...order, workspace: { ...order.workspace, root: "a\0b" } }, "workspace.root"],
  ["a list as vendor data", { ...order, config: { ...order.config, vendor: [] } }, "config.vendor"],
])("an order with %s is refused, and the place is named", (_, value, place) => {
  expect(problems(value)).toContain(place);
});

test("a variable that a record would pass over is refused", () => {
  const env: unknown = JSON.parse('{"__proto__":"x"}');
  expect(problems({ ...order, config: { ...order.config, env } })).toContain("__proto__ is not a valid variable name");
});

test("a host fills in what other runtimes leave out, and passes over what it does not know", () => {
  expect(LooseWorkOrder.parse({ task: "x", context: {}, policy: {}, config: { vendor: {} }, later: 1 })).toEqual({
    ...order,
    id: "00000000-0000-0000-0000-000000000000",
    task: "x",
    workspace: { root: ".", mode: "pass_through", include: [], exclude: [] },
    context: { files: [], snippets: [] },
    policy: { ...order.policy, disallowed_tools: [], deny_read: [] },
    requirements: { required: [] },
    config: { model: null, vendor: {}, env: {}, max_budget_usd: null, max_turns: null },
  });
});

test("a host does not pass over a rule", () => {
  expect(LooseWorkOrder.safeParse({ policy: { deny_reads: ["x"] } }).success).toBe(false);
});
