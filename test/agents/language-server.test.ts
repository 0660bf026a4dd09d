import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CodeOperation } from "../../src/contract/language-servers.ts";
import { PRESETS } from "../../src/guard/presets/presets.ts";
import { projectServers } from "../../src/native/tools/workplace.ts";
import { commandContainment } from "../support/command-containment.ts";
import { hasSandbox } from "../support/sandbox-scene.ts";
import { tempFolder } from "../support/temp-folder.ts";

const INSTALLED = join(import.meta.dirname, ".install/node_modules");
const PACKAGES = ["typescript", "typescript-language-server", ".bin/typescript-language-server"];
const isThere = PACKAGES.every((name) => existsSync(join(INSTALLED, name)));

test.runIf(hasSandbox && isThere)("the real typescript-language-server of a project works in the sandbox", async () => {
  const workspace = tempFolder();
  for (const name of PACKAGES)
    cpSync(join(INSTALLED, name), join(workspace, "node_modules", name), { recursive: true, verbatimSymlinks: true });
  const put = (name: string, text: string) => writeFileSync(join(workspace, name), text);
  const [price, order] = [
    "export const price = 250;\n",
    'import { price } from "./price";\nexport const total: string = price;\n',
  ];
  put("tsconfig.json", "{}");
  put("price.ts", price);
  put("order.ts", order);
  const policy = { ...PRESETS.default, version: 1, workspaceRoot: workspace, home: tempFolder() } as const;
  const place = { workspace, environment: process.env, marksFolder: tempFolder(), version: "1.2.3" };
  await using servers = projectServers({ ...place, policy, containment: commandContainment(policy) });
  const signal = new AbortController().signal;
  const path = join(workspace, "order.ts");
  const ask = (operation: CodeOperation) =>
    servers?.ask({ operation, path, text: order, position: { line: 1, column: 29 } }, signal);
  const at = (name: string, line: number, column: number) => ({
    path: join(workspace, name),
    isFile: true,
    line,
    column,
  });
  const [used, imported] = [at("order.ts", 1, 29), at("order.ts", 0, 9)];

  expect(await ask("definition")).toEqual({ places: [at("price.ts", 0, 13)], notes: [] });
  expect(await ask("references")).toEqual({ places: [imported, used, at("price.ts", 0, 13)], notes: [] });
  const wrong = "Type 'number' is not assignable to type 'string'. (typescript 2322)";
  expect(await ask("diagnostics")).toEqual({ problems: [{ severity: "error", line: 1, message: wrong }], notes: [] });

  // As a command would.
  put("price.ts", 'export const price = "a lot";\n');
  expect(await ask("diagnostics")).toEqual({ problems: [], notes: [] });

  const after = `${order}missing();\n`;
  put("order.ts", after);
  expect(await servers?.newErrors({ path, before: order, after }, signal)).toEqual([
    { severity: "error", line: 2, message: "Cannot find name 'missing'. (typescript 2304)" },
  ]);
});
