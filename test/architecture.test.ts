import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { cycles, doors, edges, exportedTypes, mutualFolders, roomOf, sourceFiles } from "../scripts/import-graph.ts";
import { ROOMS, STRICT_FOLDERS, TOP_FILES } from "../scripts/rooms.ts";
import { AGENT_VARIABLES } from "../src/agents/active-agent.ts";
import { PROJECT } from "./support/run-signalbox.ts";

const files = sourceFiles();
const imports = edges(files);
const rooms = Object.entries(ROOMS);

const mayImport = (from: string): readonly string[] | undefined => ROOMS[from]?.imports ?? TOP_FILES[from];

test("every file imports only from the rooms that its own may import", () => {
  const offending = imports.filter(({ from, to }) => {
    const [own, target] = [roomOf(from), roomOf(to)];
    return own !== target && mayImport(own)?.includes(target) !== true;
  });
  expect(offending).toEqual([]);
  expect(files.filter((file) => mayImport(roomOf(file)) === undefined)).toEqual([]);
});

test.each([...rooms.map(([room]) => room), ...Object.keys(TOP_FILES)])("%s uses every arrow that it has", (room) => {
  const used = new Set(imports.filter(({ from }) => roomOf(from) === room).map(({ to }) => roomOf(to)));
  expect(mayImport(room)?.filter((target) => !used.has(target))).toEqual([]);
});

test.each(Object.entries(STRICT_FOLDERS))("%s imports nothing else of its room", (folder, allowed) => {
  const isInside = (file: string) => file.startsWith(`src/${folder}/`);
  const offending = imports.filter(({ from, to }) => isInside(from) && !isInside(to) && !allowed.includes(roomOf(to)));
  expect(offending).toEqual([]);
  expect(files.filter(isInside).length).toBeGreaterThan(5);
});

test.each(rooms.filter(([, { doors: listed }]) => listed !== undefined))(
  "other rooms import the doors of %s, all of them and nothing else",
  (room, { doors: listed }) => {
    const imported = [...(doors(imports).get(room) ?? [])].map((file) => file.slice(`src/${room}/`.length));
    expect(imported.toSorted()).toEqual(listed?.toSorted());
  },
);

test.each(rooms)("%s is within its budget of files and lines", (room, { budget: [mostFiles, mostLines] }) => {
  const own = files.filter((file) => roomOf(file) === room);
  const lines = own.reduce((sum, file) => sum + lineCount(file), 0);
  expect([own.length <= mostFiles, lines <= mostLines], `${own.length} files, ${lines} lines`).toEqual([true, true]);
});

test("there are at most 21 rooms, and every room but contract, lib and commands lists its doors", () => {
  expect(rooms.length).toBeLessThanOrEqual(21);
  expect(rooms.filter(([, { doors: listed }]) => listed === undefined).map(([room]) => room)).toEqual([
    "contract",
    "lib",
    "commands",
  ]);
});

const lineCount = (file: string) => readFileSync(resolve(PROJECT, file), "utf8").split("\n").length - 1;

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
