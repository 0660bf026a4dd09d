import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const MODULE = join(import.meta.dirname, "denies.ts");

/** The output of a process started below one with these words, with a shell in between. */
function below(...words: readonly string[]): string {
  const ask = `import(${JSON.stringify(MODULE)}).then((module) => console.log(module.copilotDenies(process.pid)))`;
  const script = `"$NODE" -e "$ASK"; true`;
  const { stdout } = spawnSync("sh", ["-c", `sh -c '${script}' inner; true`, "copilot", ...words], {
    env: { ...process.env, NODE: process.execPath, ASK: ask },
    encoding: "utf8",
  });
  return stdout.trim();
}

test("a deny flag of a process further up is seen, and one of another name is not", () => {
  expect(below("--deny-tool", "shell(rm)")).toBe("true");
  expect(below("--deny-url=evil.example")).toBe("true");
  expect(below("--allow-tool", "--deny-tools")).toBe("false");
});
