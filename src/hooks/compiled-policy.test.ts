import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { compilePolicy } from "../guard/policy/active-policy.ts";
import { workspacePolicy } from "../guard/policy/compiled-policy.ts";
import { compiledPolicy } from "./hook-context.ts";

function place() {
  const base = tempFolder();
  const [folder, workspace] = [join(base, "home"), join(base, "work")];
  for (const made of [folder, dirname(workspacePolicy(workspace))]) mkdirSync(made, { recursive: true });
  return { folder, workspace, own: join(folder, "policy.yaml"), repository: workspacePolicy(workspace) };
}

test.each(["own", "repository"] as const)("a change of the %s policy file is noticed before it counts", (which) => {
  const { folder, workspace, ...files } = place();
  const file = files[which];
  const read = () => compiledPolicy(folder, workspace);
  writeFileSync(file, "version: 1\n");
  expect(read).toThrow(`${file} is not compiled; run: signalbox guard compile`);
  const compiled = compilePolicy(folder, workspace);
  expect(read()).toMatchObject({ workspaceRoot: workspace, rules: compiled.rules });
  writeFileSync(file, "version: 1\nextends: read-only\n");
  expect(read).toThrow(`${file} has changed; run: signalbox guard compile`);
  rmSync(file);
  expect(read()).toMatchObject({ hash: "preset:default" });
});
