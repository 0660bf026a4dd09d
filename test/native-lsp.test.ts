import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptInput } from "../src/models/scripted/script.ts";
import { writePolicy } from "./support/mcp-scene.ts";
import { scene } from "./support/native-scene.ts";
import { hasSandbox } from "./support/sandbox-scene.ts";

const calls = (name: string, input: Record<string, unknown>) => ({ calls: [{ name, input }] });

/** A project whose language server is the real TypeScript compiler. */
async function project(turns: NonNullable<ScriptInput["turns"]>) {
  const place = await scene({ turns });
  const { cwd, server } = place;
  const modules = join(import.meta.dirname, "../node_modules");
  // Copied, because the sandbox does not show where a link would lead if this repository is in /tmp.
  for (const name of ["typescript", "@typescript", ".bin/tsc"])
    cpSync(join(modules, name), join(cwd, "node_modules", name), { recursive: true, verbatimSymlinks: true });
  const put = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  put("tsconfig.json", '{ "compilerOptions": { "strict": true, "types": [] } }');
  put("price.ts", "/** In cents. */\nexport function price(items: number): number {\n  return items * 250;\n}\n");
  put("order.ts", 'import { price } from "./price";\n\nexport const total = price(3);\n');
  return {
    ...place,
    put,
    offers: (request: number) => JSON.stringify(server.requests[request]?.body).includes('"name":"lsp"'),
    size: (request: number) => JSON.stringify(server.requests[request]?.body).length,
    /** The results that the model has seen by the last request. */
    results: () =>
      [...JSON.stringify(server.requests.at(-1)?.body).matchAll(/"role":"tool".*?"content":"((?:[^"\\]|\\.)*)"/g)].map(
        ([, text]) => text?.replaceAll("\\n", "\n").replaceAll('\\"', '"'),
      ),
  };
}

test.runIf(hasSandbox)(
  "the real TypeScript server answers in the sandbox, and an edit says what it broke",
  async () => {
    const { cwd, run, offers, size, results } = await project([
      calls("lsp", { operation: "definition", path: "order.ts", symbol: "price", line: 3 }),
      calls("lsp", { operation: "references", path: "price.ts", symbol: "price" }),
      calls("lsp", { operation: "hover", path: "order.ts", symbol: "price" }),
      calls("lsp", { operation: "symbols", path: "price.ts" }),
      calls("lsp", { operation: "diagnostics", path: "order.ts" }),
      calls("bash", { command: "printf 'export const price = \"a lot\";\\n' > price.ts" }),
      calls("lsp", { operation: "diagnostics", path: "order.ts" }),
      calls("read", { path: "order.ts" }),
      calls("edit", { path: "order.ts", edits: [{ old_string: "price(3)", new_string: "missing + price.length" }] }),
      calls("lsp", { operation: "hover", path: "README.md", symbol: "x" }),
      { text: "Done." },
    ]);
    const { code, stdout } = await run(["native", "-p", "go"]);
    expect([code, stdout, offers(0)]).toEqual([0, "Done.\n", true]);
    expect(size(0)).toBeLessThanOrEqual(8192);
    const [definition, references, hover, symbols, before, , after, , edited] = results();
    expect(definition).toBe("price.ts:2: export function price(items: number): number {");
    expect(references).toBe(
      [
        'order.ts:1: import { price } from "./price";',
        "order.ts:3: export const total = price(3);",
        "price.ts:2: export function price(items: number): number {",
      ].join("\n"),
    );
    expect(hover).toContain("In cents.");
    expect(symbols).toBe("function price, line 2");
    expect(before).toBe("(no problems)");
    expect(after).toContain("line 3: error: This expression is not callable.");
    expect(edited).toBe(
      `changed ${join(cwd, "order.ts")} (1 edit)\nThis change brings a new error:\nline 3: error: Cannot find name 'missing'. (ts 2304)`,
    );
    expect(results().at(-1)).toContain("README.md does not exist");
  },
);

test("the tool is not offered where the flag is off, the sandbox is off, or the language is not used", async () => {
  const { cwd, home, run, offers } = await project([{ text: "Done." }]);
  await run(["native", "-p", "go"]);
  await run(["native", "-p", "go"], { env: { SIGNALBOX_FLAGS: "-lsp-tools" } });
  writePolicy(home, "sandbox: off");
  await run(["native", "-p", "go"]);
  writePolicy(home, "");
  const empty = join(cwd, "sub");
  mkdirSync(join(empty, ".git"), { recursive: true });
  await run(["native", "-p", "go"], { cwd: empty });
  expect([0, 1, 2, 3].map(offers)).toEqual([true, false, false, false]);
});
