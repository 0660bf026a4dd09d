import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { doors, edges, mutualFolders, roomOf, sourceFiles } from "../scripts/import-graph.ts";
import { AGENT_VARIABLES } from "../src/agents/resolve.ts";
import { PROJECT } from "./support/run-signalbox.ts";

const TOOLS = ["contract", "lib", "shell", "guard", "screen", "sandbox"];
const HOOKS = ["contract", "lib", "guard", "screen", "sandbox", "agents"];
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
  "proof",
];

/** Each room, and the rooms it may import from. Adding an arrow here is a design decision. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  lib: [],
  screen: ["contract", "lib"],
  shell: ["contract", "lib"],
  guard: ["contract", "lib", "shell"],
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
  backplane: ["contract", "lib", "guard"],
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
  proof: ["contract", "lib", "agents", "hooks", "staging", "launch", "models"],
  doctor: ALL,
  commands: [...ALL, "doctor", "package.json"],
  library: [...ALL, "package.json"],
  "verbs.ts": ["commands", "agents"],
  "cli.ts": ["commands", "verbs.ts", "lib", "package.json"],
};

/** The files of a room that other rooms may import, seen from the room. */
const DOORS: Record<string, readonly string[]> = {
  shell: [
    "argv/argv-effects.ts",
    "argv/environment.ts",
    "expand/expand.ts",
    "model/effect.ts",
    "model/script.ts",
    "model/state.ts",
    "model/word.ts",
    "parse/read-script.ts",
  ],
  guard: [
    "audit/anchor.ts",
    "audit/verify-audit.ts",
    "audit/write-audit.ts",
    "decide-and-record.ts",
    "explain.ts",
    "judge-line.ts",
    "judge/judge-access.ts",
    "judge/judge.ts",
    "judge/tool-kind.ts",
    "machine/real-machine.ts",
    "policy/active-policy.ts",
    "policy/compiled-policy.ts",
    "policy/trust.ts",
    "redact/redact.ts",
    "taint/taint-store.ts",
  ],
  screen: ["screen-command.ts", "screen-lines.ts", "screen.ts"],
  sandbox: ["find-bubblewrap.ts", "plan-sandbox.ts", "release-sandbox.ts", "sandbox-works.ts", "sandboxed-argv.ts"],
};

/** Rooms whose doors are not listed yet: arrows of theirs may be unused, and their folders may import each other. */
const WITHOUT_DOORS = new Set([
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
  "proof",
  "doctor",
  "commands",
  "library",
]);

/** Every file of these may be imported: the words, and functions without a domain. */
const OPEN = new Set(["contract", "lib"]);

const files = sourceFiles();
const imports = edges(files);
const rooms = Object.keys(MAY_IMPORT).filter((room) => !room.endsWith(".ts"));

test.each(files)("%s imports only what its room may", (file) => {
  const allowed = MAY_IMPORT[roomOf(file)];
  expect(allowed, `${roomOf(file)} is not in MAY_IMPORT`).toBeDefined();
  const targets = imports.filter(({ from }) => from === file).map(({ to }) => roomOf(to));
  expect(targets.filter((room) => room !== roomOf(file) && !allowed?.includes(room))).toEqual([]);
});

test.each(rooms.filter((room) => !WITHOUT_DOORS.has(room)))("%s uses every arrow that it has", (room) => {
  const used = new Set(imports.filter(({ from }) => roomOf(from) === room).map(({ to }) => roomOf(to)));
  expect(MAY_IMPORT[room]?.filter((target) => !used.has(target))).toEqual([]);
});

test.each(rooms.filter((room) => !OPEN.has(room) && !WITHOUT_DOORS.has(room)))(
  "other rooms import the doors of %s, all of them and nothing else",
  (room) => {
    const imported = [...(doors(imports).get(room) ?? [])].map((file) => file.slice(`src/${room}/`.length));
    expect(imported.toSorted()).toEqual(DOORS[room]?.toSorted());
  },
);

test("no two folders of a room import each other", () => {
  const done = imports.filter(({ from }) => !WITHOUT_DOORS.has(roomOf(from)));
  expect(mutualFolders(done)).toEqual([]);
});

test("contract imports nothing but zod and itself", () => {
  const packages = files
    .filter((file) => roomOf(file) === "contract")
    .flatMap((file) =>
      [...readFileSync(resolve(PROJECT, file), "utf8").matchAll(/from "([^."][^"]*)"/g)].map((match) => match[1]),
    );
  expect(new Set(packages)).toEqual(new Set(["zod"]));
});

test.each(AGENT_VARIABLES)("%s is named in one source file only", (variable) => {
  const naming = files.filter((file) =>
    new RegExp(`["'\`]${variable}["'\`]`).test(readFileSync(resolve(PROJECT, file), "utf8")),
  );
  expect(naming).toEqual(["src/agents/resolve.ts"]);
});

test("no program is started through a shell", () => {
  const offending = files.filter((file) =>
    /shell:\s*true|\bexec(Sync)?\(/.test(readFileSync(resolve(PROJECT, file), "utf8").replaceAll(/\.exec\(/g, "")),
  );
  expect(offending).toEqual([]);
});
