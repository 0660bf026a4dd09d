import { expect, test } from "vitest";
import { PRESETS } from "../../guard/presets/presets.ts";
import { assessCommand } from "./guard-permit.ts";

const policy = { ...PRESETS.default, version: 1, workspaceRoot: "/work/project", home: "/home/user" } as const;
const world = { readLink: () => undefined, addresses: () => undefined, now: () => 0 };
const assess = (command: string) => assessCommand(command, policy, world);

test("a pipeline that only looks is read-only in all its parts", () => {
  expect(assess("git log -3 | grep -c fix src/a.ts 2>/dev/null")).toEqual({
    commands: [
      { identifier: "git log", readOnly: true },
      { identifier: "grep", readOnly: true },
    ],
    possiblePaths: ["/dev/null", "src/a.ts"],
    possibleUrls: [],
    hasWriteFileRedirection: false,
    canOfferSessionApproval: true,
  });
});

test("what is written, fetched and redirected is named", () => {
  const { commands, possiblePaths, possibleUrls, hasWriteFileRedirection } = assess(
    "curl -s https://example.com/a > out.txt && /usr/bin/rm -f old.txt",
  );
  expect({ commands, possiblePaths, possibleUrls, hasWriteFileRedirection }).toEqual({
    commands: [
      { identifier: "curl", readOnly: false },
      { identifier: "rm", readOnly: false },
    ],
    possiblePaths: ["out.txt", "old.txt"],
    possibleUrls: ["https://example.com/a"],
    hasWriteFileRedirection: true,
  });
});

test.each(["./x $(cat a)", "./x $UNSET", 'eval "$(./y)"', "echo 'open"])(
  "%s cannot be approved for the session: its text does not say what it does",
  (command) => {
    expect(assess(command).canOfferSessionApproval).toBe(false);
  },
);
