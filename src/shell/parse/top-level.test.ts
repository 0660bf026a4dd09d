import { expect, test } from "vitest";
import { fakeMachine } from "../../guard/machine/fake-machine.ts";
import { judge } from "../../guard/judge/judge.ts";
import { PRESETS } from "../../guard/presets/presets.ts";

test("the top of the repository is where .git stands, at the workspace or above it", () => {
  const judged = (workspaceRoot: string, command: string) => {
    const kind = (path: string) => (path === "/srv/repo/.git" ? ("folder" as const) : undefined);
    const policy = { ...PRESETS.default, version: 1 as const, workspaceRoot, home: "/home/dev" };
    return judge({ tool: "Bash", input: { command } }, policy, { ...fakeMachine({}), kind });
  };
  const read = 'cat "$(git rev-parse --show-toplevel)/package.json"';
  expect(judged("/srv/repo", read).verdict).toBe("allow");
  expect(judged("/srv/repo", `cd src && ${read}`).verdict).toBe("allow");
  expect(judged("/srv/repo/packages/x", read).because).toContain("/srv/repo/package.json");
  expect(judged("/srv/other", read).verdict).toBe("ask");
});
