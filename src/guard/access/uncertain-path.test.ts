import { expect, test } from "vitest";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { ready } from "../rules/ready-policy.ts";
import { PRESETS } from "../presets/presets.ts";
import { DIGITS } from "../../shell/model/word.ts";
import { judgeDigits } from "./uncertain-path.ts";
import { judgePath } from "./judge-path.ts";

const random = seededRandom(20_270_301);
function placeWith(denied: string) {
  const paths = { ...PRESETS.none.paths, denyRead: [denied] };
  const policy = ready({ ...PRESETS.none, paths, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" });
  return { policy, machine: fakeMachine({}), cwd: "/srv/repo", otherCwds: [], outside: "ask" } as const;
}

const PROTECTED: readonly (readonly [denied: string, path: string])[] = [
  ["**/id_ed25519*", "keys/id_ed25519.pub"],
  ["**/*.p12", "a/b2.p12"],
  ["data/2024*", "data/2024-05"],
  ["logs/*/7", "logs/a9/7/x"],
  ["**/a1b2c3", "k/a1b2c3"],
  ["**/x?9.txt", "xb9.txt"],
  ["**/[0-4]z", "d/3z"],
  ["keys/**/*12", "keys/q/0f/r12"],
];

test("a path that digits can make a protected one is asked about", () => {
  const use = { access: "read", glob: false } as const;
  for (const [denied, path] of PROTECTED) {
    const place = placeWith(denied);
    expect(judgePath({ ...use, path }, place), path).toMatchObject([{ verdict: "deny" }]);
    for (let round = 0; round < 60; round++) {
      const gapped = path.replaceAll(/[0-9a-f]{1,2}/g, (digits) => (random() < 0.5 ? DIGITS : digits));
      if (gapped.includes(DIGITS))
        expect(judgeDigits({ ...use, path: gapped }, place), JSON.stringify(gapped)).toMatchObject([
          { verdict: "ask" },
        ]);
    }
  }
});

test.each([
  ["a.txt.", "**/*.pem"],
  ["backup-", "**/.env"],
  ["src/", "**/id_ed25519*"],
])("digits behind %s never make it %s", (start, denied) => {
  expect(judgeDigits({ access: "read", path: `${start}${DIGITS}`, glob: false }, placeWith(denied))).toEqual([]);
});
