import { globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { expect, test } from "vitest";
import { AGENT_VARIABLES } from "../src/agents/resolve.ts";
import { PROJECT } from "./support/run-signalbox.ts";

const TOOLS = ["contract", "lib", "shell", "guard", "screen", "sandbox"];
const HOOKS = ["contract", "lib", "shell", "guard", "screen", "sandbox", "agents"];
const LAUNCH = ["contract", "lib", "agents", "hooks", "staging"];
const ALL = [
  "contract",
  "lib",
  "shell",
  "guard",
  "screen",
  "sandbox",
  "models",
  "knowledge",
  "sessions",
  "agents",
  "tools",
  "engine",
  "hooks",
  "staging",
  "launch",
  "backplane",
  "hosts",
  "recipes",
  "proof",
];

/** Each room, and the rooms it may import from. Adding an arrow here is a design decision. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  lib: [],
  screen: ["contract", "lib"],
  shell: ["contract", "lib", "guard"],
  guard: ["contract", "lib", "shell", "screen"],
  sandbox: ["contract", "lib", "guard"],
  models: ["contract", "lib"],
  knowledge: ["contract", "lib"],
  sessions: ["contract", "lib"],
  agents: ["contract", "lib"],
  tools: TOOLS,
  engine: ["contract", "lib", "models", "tools", "knowledge"],
  hooks: HOOKS,
  staging: ["contract", "lib", "agents", "hooks"],
  launch: LAUNCH,
  backplane: TOOLS,
  hosts: [
    "contract",
    "lib",
    "guard",
    "screen",
    "sandbox",
    "agents",
    "launch",
    "engine",
    "tools",
    "models",
    "knowledge",
    "sessions",
    "backplane",
  ],
  recipes: ["contract", "lib", "agents", "backplane"],
  proof: ["contract", "lib", "agents", "hooks", "staging", "launch", "models"],
  doctor: ALL,
  commands: [...ALL, "doctor", "package.json"],
  library: [...ALL, "package.json"],
  "verbs.ts": ["commands", "agents"],
  "cli.ts": ["commands", "verbs.ts", "lib", "package.json"],
};

const src = resolve(PROJECT, "src");
const sourceFiles = globSync("src/**/*.ts", { cwd: PROJECT }).filter((file) => !file.endsWith(".test.ts"));
const room = (file: string) => {
  const inside = relative(src, resolve(PROJECT, file));
  return inside.startsWith("..") ? relative(PROJECT, resolve(PROJECT, file)) : (inside.split(sep)[0] ?? "");
};
const IMPORT = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** Rooms that `file` imports from, statically or not, its own left out. */
const importedRooms = (file: string) =>
  [...readFileSync(resolve(PROJECT, file), "utf8").matchAll(IMPORT)]
    .map((match) => room(resolve(PROJECT, dirname(file), match[1] ?? "")))
    .filter((target) => target !== room(file));

test.each(sourceFiles)("%s imports only what its room may", (file) => {
  const allowed = MAY_IMPORT[room(file)];
  expect(allowed, `${room(file)} is not in MAY_IMPORT`).toBeDefined();
  expect(importedRooms(file).filter((target) => !allowed?.includes(target))).toEqual([]);
});

test("contract imports nothing but zod and itself", () => {
  const packages = sourceFiles
    .filter((file) => room(file) === "contract")
    .flatMap((file) =>
      [...readFileSync(resolve(PROJECT, file), "utf8").matchAll(/from "([^."][^"]*)"/g)].map((match) => match[1]),
    );
  expect(new Set(packages)).toEqual(new Set(["zod"]));
});

test.each(AGENT_VARIABLES)("%s is named in one source file only", (variable) => {
  const naming = sourceFiles.filter((file) =>
    new RegExp(`["'\`]${variable}["'\`]`).test(readFileSync(resolve(PROJECT, file), "utf8")),
  );
  expect(naming).toEqual(["src/agents/resolve.ts"]);
});

test("no program is started through a shell", () => {
  const offending = sourceFiles.filter((file) =>
    /shell:\s*true|\bexec(Sync)?\(/.test(readFileSync(resolve(PROJECT, file), "utf8").replaceAll(/\.exec\(/g, "")),
  );
  expect(offending).toEqual([]);
});
