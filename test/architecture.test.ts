import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { cycles, doors, edges, exportedTypes, mutualFolders, roomOf, sourceFiles } from "../scripts/import-graph.ts";
import { DOORS, MAY_IMPORT } from "../scripts/rooms.ts";
import { AGENT_VARIABLES } from "../src/agents/active-agent.ts";
import { PROJECT } from "./support/run-signalbox.ts";

const files = sourceFiles();
const imports = edges(files);
const rooms = Object.keys(MAY_IMPORT).filter((room) => !room.endsWith(".ts"));

test.each(files)("%s imports only what its room may", (file) => {
  const allowed = MAY_IMPORT[roomOf(file)];
  expect(allowed, `${roomOf(file)} is not in MAY_IMPORT`).toBeDefined();
  const targets = imports.filter(({ from }) => from === file).map(({ to }) => roomOf(to));
  expect(targets.filter((room) => room !== roomOf(file) && !allowed?.includes(room))).toEqual([]);
});

test.each(rooms)("%s uses every arrow that it has", (room) => {
  const used = new Set(imports.filter(({ from }) => roomOf(from) === room).map(({ to }) => roomOf(to)));
  expect(MAY_IMPORT[room]?.filter((target) => !used.has(target))).toEqual([]);
});

test.each(Object.keys(DOORS))("other rooms import the doors of %s, all of them and nothing else", (room) => {
  const imported = [...(doors(imports).get(room) ?? [])].map((file) => file.slice(`src/${room}/`.length));
  expect(imported.toSorted()).toEqual(DOORS[room]?.toSorted());
});

test("every room but contract and lib has its doors listed, few of them where outsiders should see little", () => {
  expect(rooms.filter((room) => !(room in DOORS))).toEqual(["contract", "lib"]);
  const count = (room: string) => DOORS[room]?.length ?? Infinity;
  expect([count("hooks") <= 8, count("guard") <= 18, count("backplane") <= 12]).toEqual([true, true, true]);
});

test("no two folders of a room import each other", () => {
  expect(mutualFolders(imports)).toEqual([]);
});

test("no files import each other in a circle, not even for their types", () => {
  expect(cycles(imports)).toEqual([]);
});

test("one name of an exported type means one thing", () => {
  const places = exportedTypes(files);
  expect([...places].filter(([, where]) => where.length > 1)).toEqual([]);
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
  expect(naming).toEqual(["src/agents/active-agent.ts"]);
});

test("no program is started through a shell", () => {
  const offending = files.filter((file) =>
    /shell:\s*true|\bexec(Sync)?\(/.test(readFileSync(resolve(PROJECT, file), "utf8").replaceAll(/\.exec\(/g, "")),
  );
  expect(offending).toEqual([]);
});
