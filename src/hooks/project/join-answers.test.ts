import { expect, test } from "vitest";
import type { HookAnswer } from "../../contract/hook-event.ts";
import type { HookOrigin, HookResult } from "./find-hooks.ts";
import { joinOtherAnswers, joinToolAnswers } from "./join-answers.ts";

const said = (origin: HookOrigin, object: Record<string, unknown>): HookResult => ({
  hook: { name: origin, origin },
  said: object,
});
const failed = (origin: HookOrigin): HookResult => ({ hook: { name: origin, origin }, failed: "it crashed" });
const decide = (origin: HookOrigin, permissionDecision: string) =>
  said(origin, { permissionDecision, permissionDecisionReason: `${origin} says ${permissionDecision}` });

const ROWS: readonly (readonly [
  name: string,
  guard: HookAnswer,
  results: readonly HookResult[],
  strict: HookAnswer,
  documented: HookAnswer,
])[] = [
  ["nobody speaks", {}, [said("xpia", {}), said("repository", {})], {}, {}],
  [
    "a repository's allow is no objection in a launch",
    {},
    [decide("repository", "allow")],
    {},
    { verdict: "allow", because: "repository says allow" },
  ],
  [
    "only the user's own hooks can skip a question",
    {},
    [decide("home", "allow")],
    { verdict: "allow", because: "home says allow" },
    { verdict: "allow", because: "home says allow" },
  ],
  [
    "a denial beats an allowance, except XPIA's outside a launch",
    {},
    [decide("xpia", "allow"), decide("repository", "deny")],
    { verdict: "deny", because: "repository says deny" },
    { verdict: "allow", because: "xpia says allow" },
  ],
  [
    "the guard's question stays one, and becomes a denial by a hook",
    { verdict: "ask", because: "guard asks" },
    [decide("repository", "deny")],
    { verdict: "deny", because: "repository says deny" },
    { verdict: "deny", because: "repository says deny" },
  ],
  [
    "nobody's allow answers the guard's question",
    { verdict: "ask", because: "guard asks" },
    [decide("home", "allow"), decide("xpia", "allow")],
    { verdict: "ask", because: "guard asks" },
    { verdict: "ask", because: "guard asks" },
  ],
  [
    "what the guard denies stays denied",
    { verdict: "deny", because: "guard denies" },
    [decide("xpia", "allow")],
    { verdict: "deny", because: "guard denies" },
    { verdict: "deny", because: "guard denies" },
  ],
  [
    "a hook that failed denies, whatever the others say",
    {},
    [decide("xpia", "allow"), failed("repository")],
    { verdict: "deny", because: "the hook repository failed, so the call is blocked: it crashed" },
    { verdict: "deny", because: "the hook repository failed, so the call is blocked: it crashed" },
  ],
  [
    "block is a denial, XPIA's too",
    {},
    [said("xpia", { block: true, message: "m" })],
    { verdict: "deny", because: "m" },
    { verdict: "deny", because: "m" },
  ],
  [
    "block without a reason names the hook",
    {},
    [said("repository", { block: true })],
    { verdict: "deny", because: "blocked by the hook repository" },
    { verdict: "deny", because: "blocked by the hook repository" },
  ],
  [
    "a decision in Claude Code's shape is read",
    {},
    [said("repository", { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "nested" } })],
    { verdict: "deny", because: "nested" },
    { verdict: "deny", because: "nested" },
  ],
  [
    "XPIA's block beats an allow of the project's hook",
    {},
    [said("xpia", { block: true, message: "m" }), decide("repository", "allow")],
    { verdict: "deny", because: "m" },
    { verdict: "deny", because: "m" },
  ],
];

/** Ways in which a hook denies or gives an unreadable answer, each alone and next to its own `allow`. */
const DENIALS: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ block: true, reason: "r" }, "r"],
  [{ decision: "block", reason: "r" }, "r"],
  [{ decision: "deny", reason: "r" }, "r"],
  [{ continue: false, stopReason: "r" }, "r"],
  [{ continue: false }, "blocked by the hook HOOK"],
  [{ permissionDecision: "deny", message: "r" }, "r"],
  [{ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "r" } }, "r"],
  ...["DENY", "Deny", "deny ", "block", "no", "", "ALLOW", "defer", 0, false, true, null, ["deny"], {}].flatMap(
    (word): [Record<string, unknown>, string][] => {
      const because = "the hook HOOK failed: its permissionDecision is none of allow, ask and deny";
      return [
        [{ permissionDecision: word }, because],
        [{ hookSpecificOutput: { permissionDecision: word } }, because],
      ];
    },
  ),
  ...["BLOCK", "DENY", "ask", true, null].map((word): [Record<string, unknown>, string] => [
    { decision: word },
    "the hook HOOK failed: its decision is none of block, deny, approve and allow",
  ]),
  ...["deny", null, ["deny"]].map((word): [Record<string, unknown>, string] => [
    { hookSpecificOutput: word },
    "the hook HOOK failed: its hookSpecificOutput is not an object",
  ]),
  ...["true", 1, null].map((word): [Record<string, unknown>, string] => [
    { block: word },
    "the hook HOOK failed: its block is neither true nor false",
  ]),
  ...["false", 0, null].map((word): [Record<string, unknown>, string] => [
    { continue: word },
    "the hook HOOK failed: its continue is neither true nor false",
  ]),
];

test.each(DENIALS)("%j denies, in a launch and outside one, from whichever hook", (object, because) => {
  for (const origin of ["home", "repository", "xpia"] as const) {
    const expected = { verdict: "deny", because: because.replace("HOOK", origin) };
    const spoken = [object];
    if (!("permissionDecision" in object)) spoken.push({ ...object, permissionDecision: "allow" });
    for (const each of spoken)
      for (const mode of ["strictest", "documented"] as const)
        expect(joinToolAnswers({}, [said(origin, each)], mode)).toMatchObject(expected);
  }
});

test.each([
  {},
  { continue: true },
  { block: false },
  { decision: "approve" },
  { hookSpecificOutput: {} },
  { other: 1 },
])("%j is no objection", (object) => {
  for (const mode of ["strictest", "documented"] as const)
    expect(joinToolAnswers({}, [said("repository", object)], mode).verdict).toBeUndefined();
});

test.each(ROWS)("%s", (_, guard, results, strict, documented) => {
  const meaning = ({ verdict, because }: HookAnswer) => ({
    ...(verdict === undefined ? {} : { verdict }),
    ...(verdict === undefined || because === undefined ? {} : { because }),
  });
  expect(meaning(joinToolAnswers(guard, results, "strictest"))).toEqual(strict);
  expect(meaning(joinToolAnswers(guard, results, "documented"))).toEqual(documented);
});

test("changed arguments apply in the order of the hooks, and their texts are joined", () => {
  const results = [
    said("home", { modifiedArgs: { command: "one", timeout: 1 }, additionalContext: "first" }),
    said("repository", { hookSpecificOutput: { updatedInput: { command: "two" }, additionalContext: "second" } }),
  ];
  expect(joinToolAnswers({}, results, "strictest")).toMatchObject({
    input: { command: "two", timeout: 1 },
    context: "first\n\nsecond",
  });
});

test("at a stop, a hook that ends the turn does not object to its end", () => {
  expect(joinOtherAnswers([said("repository", { continue: false, stopReason: "enough" })])).toEqual({});
});

test("at other events texts are joined, the first refusal counts, and a failed hook says nothing", () => {
  const results = [
    said("home", { additionalContext: "a" }),
    failed("repository"),
    said("repository", { decision: "block", reason: "tests fail", additionalContext: "b" }),
    said("repository", { block: true }),
  ];
  expect(joinOtherAnswers(results)).toEqual({ context: "a\n\nb", block: "tests fail" });
  expect(joinOtherAnswers([])).toEqual({});
});
