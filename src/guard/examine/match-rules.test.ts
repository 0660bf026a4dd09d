import { expect, test } from "vitest";
import type { Policy } from "../../contract/policy.ts";
import { ready } from "../rules/ready-policy.ts";
import { PRESETS } from "../presets/presets.ts";
import { matchRules } from "./match-rules.ts";
import { DIGITS, UNKNOWN, word } from "../../shell/model/word.ts";

const rule = (verdict: "allow" | "ask" | "deny", ...argv: readonly string[]) =>
  ({ id: `${verdict} ${argv.join(" ")}`, source: "user", verdict, argv, exact: false, because: "a reason" }) as const;
const policy: Policy = {
  ...PRESETS.none,
  version: 1,
  workspaceRoot: "/srv/repo",
  home: "/home/dev",
  rules: [
    rule("allow", "rm"),
    rule("deny", "rm", "-rf"),
    rule("allow", "git", "push"),
    rule("deny", "git", "push", "--force"),
    rule("allow", "chmod"),
    rule("deny", "chmod", "777"),
  ],
};

function verdictOf(line: string) {
  const words = line.split(" ").map(word);
  return matchRules(ready(policy), { program: words[0]?.text ?? "", raw: words, canonical: words })?.verdict;
}

test.each([
  "rm -rf a",
  "rm -fr a",
  "rm -r -f a",
  "rm -vrf a",
  "rm a -r -f",
  "git push --force",
  "git push --forc",
  "git push --force=x",
])("%s carries the option that a rule denies", (line) => {
  expect(verdictOf(line)).toBe("deny");
});

test.each([
  "rm rf",
  "rm for",
  "rm -r f",
  "rm -f r",
  "rm r -f",
  "rm -r a/f",
  "rm --rf a",
  "rm --r --f a",
  `rm -r${UNKNOWN} f`,
  "git push force",
  "git push -f",
  "git push --fo",
  "chmod 755 a",
  "chmod a 777",
])("%s does not", (line) => {
  expect(verdictOf(line)).toBe("allow");
});

test.each([`chmod ${DIGITS} a`, `chmod ${UNKNOWN} a`, `chmod 7${DIGITS} a`])(
  "a word that may turn out to be the denied one is asked about: %j",
  (line) => {
    expect(verdictOf(line)).toBe("ask");
  },
);
