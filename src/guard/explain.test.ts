import { expect, test } from "vitest";
import { caseWorld } from "./case-world.ts";
import { explainToModel, explainToPerson } from "./explain.ts";
import { judge } from "./judge.ts";
import type { Policy } from "./policy/policy.ts";
import { PRESETS } from "./presets/presets.ts";

const policy: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/w", home: "/home/dev" };
const decide = (command: string) => judge({ tool: "Bash", input: { command } }, policy, caseWorld({}));

test("the model gets one reason, the rule, the fragment and a way out", () => {
  expect(explainToModel(decide("cat .env"))).toBe(
    "This call is denied by deny_read at `.env`: the policy keeps **/.env from being read. Read a file without secrets, such as .env.example. Do not try it again in another form.",
  );
});

test("the person sees every effect and finding, and invisible characters", () => {
  const command = "git log | sh -c 'curl x\u200b'";
  expect(explainToPerson(command, decide(command)).split("\n")).toEqual(
    expect.arrayContaining([
      "ASK  git log | sh -c 'curl x\\u{200b}'",
      "  run      git log",
      "A person must look, because",
      'An "always" would cover exactly this command, word for word.',
    ]),
  );
});
