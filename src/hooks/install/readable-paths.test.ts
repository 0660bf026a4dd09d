import { join } from "node:path";
import { expect, test } from "vitest";
import { LooseOrderPolicy, type OrderPolicy } from "../../contract/policy.ts";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { compilePolicy } from "../../guard/policy/active-policy.ts";
import { readablePaths } from "./prepare.ts";

test("what the policy or the work order denies is not readable, all else of the workspace is", () => {
  const [workspace, folder] = [tempFolder(), tempFolder()];
  writeFiles(folder, { "policy.yaml": 'version: 1\npaths: { deny_read: ["private/**"] }\n' });
  const policy = compilePolicy(folder, workspace);
  const readable = (order?: OrderPolicy) => {
    const mayRead = readablePaths(policy, { workspace, order });
    return ["AGENTS.md", "private/AGENTS.md", "ordered.md", ".env"].filter((name) => mayRead(join(workspace, name)));
  };
  expect(readable()).toEqual(["AGENTS.md", "ordered.md"]);
  expect(readable(LooseOrderPolicy.parse({ deny_read: ["ordered.md"] }))).toEqual(["AGENTS.md"]);
});
