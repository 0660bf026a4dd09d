/** Counts about the source tree. `npm run house -- --src CHECKOUT` counts another checkout, such as an older commit. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { agentIdsIn } from "./agent-ids.ts";
import { cycles, doors, edges, exportedTypes, mutualFolders, roomOf, sourceFiles } from "./import-graph.ts";

const { values } = parseArgs({ options: { src: { type: "string", default: join(import.meta.dirname, "..") } } });
const root = resolve(values.src);
const files = sourceFiles(root);
const imports = edges(files, root);
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const AGENTS = ["claude", "copilot", "codex", "amplifier"];
const OWN_PLACES = /^src\/(?:agents|hosts\/copilot|hosts\/native)\/|^src\/contract\/agent\.ts$/;

const filesWith = (pattern: RegExp) => [...texts].filter(([, text]) => pattern.test(text)).length;
const matches = (pattern: RegExp) =>
  [...texts.values()].reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);

console.table([
  ...sizes(),
  ...agentRows(),
  ...doorRows(),
  row("pairs of folders of a room that import each other", mutualFolders(imports).length),
  row(
    "circles of imports, types included (files in each)",
    cycles(imports)
      .map(({ length }) => length)
      .join(" ") || "none",
  ),
  row("imports of the file that prepares a guarded launch", prepareImports()),
  row("files that list variables which load code", filesWith(/LD_PRELOAD[^]*BASH_ENV|BASH_ENV[^]*LD_PRELOAD/)),
  row("source files that hold a shell script as a template", filesWith(/`#!\/bin\/sh|`#!\$\{/)),
  row("files that make or remove a lock", files.filter((file) => /(?:^|[-/])lock\.ts$/.test(file)).length),
  row("types that end in Parts", new Set(types().filter((name) => name.endsWith("Parts"))).size),
  row("exported type names with two meanings", doubled()),
  row("limits called MOST_ and MAX_", `${matches(/\bconst MOST_/g)} and ${matches(/\bconst MAX_/g)}`),
  row("`instanceof Error ? … : String(…)`", matches(/instanceof Error \? \w+\.message : String\(/g)),
  row("lines of src that only tests import", testSupportLines()),
]);

function row(what: string, count: number | string) {
  return { what, count };
}

function sizes() {
  const lengths = [...texts.values()].map((text) => text.split("\n").length - 1).toSorted((one, other) => one - other);
  const at = (share: number) => lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * share))] ?? 0;
  const lines = lengths.reduce((sum, length) => sum + length, 0);
  return [
    row("files and lines of src", `${files.length} and ${lines}`),
    row("lines a file: median, 95th percentile, most", `${at(0.5)} ${at(0.95)} ${at(1)}`),
  ];
}

/** Files that name an agent: everywhere, and outside the agent's own places. */
function agentRows() {
  const uses = [...texts].flatMap(([file, text]) => agentIdsIn(file, text, AGENTS).map(({ id }) => ({ file, id })));
  return AGENTS.map((agent) => {
    const naming = new Set(uses.filter(({ id }) => id === agent).map(({ file }) => file));
    const outside = [...naming].filter((file) => !OWN_PLACES.test(file));
    const rooms = new Set([...naming].map(roomOf));
    return row(
      `files that name ${agent}`,
      `${naming.size} in ${rooms.size} rooms, ${outside.length} outside its places`,
    );
  });
}

function doorRows() {
  const found = doors(imports);
  return ["hooks", "guard", "shell", "screen", "sandbox", "backplane", "receipts", "native", "agents"]
    .filter((room) => existsSync(join(root, "src", room)))
    .map((room) =>
      row(
        `files of ${room} that other rooms import`,
        `${found.get(room)?.size ?? 0} of ${files.filter((file) => roomOf(file) === room).length}`,
      ),
    );
}

function prepareImports(): number {
  const file = files.find((name) => name.endsWith("/prepare.ts")) ?? "";
  return texts.get(file)?.match(/^import /gm)?.length ?? 0;
}

function types(): readonly string[] {
  return [...texts.values()].flatMap((text) =>
    [...text.matchAll(/\b(?:interface|type) (\w+)/g)].map(([, name = ""]) => name),
  );
}

function doubled(): number {
  return [...exportedTypes(files, root).values()].filter((places) => places.length > 1).length;
}

/** Files of src that no program imports, entry points left out. */
function testSupportLines(): number {
  const others = globSync("{src,scripts,bench,docs,wiring,hosts}/**/*.ts", { cwd: root }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  const used = new Set(
    others.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/"(\.{1,2}\/[^"]+\.ts)"/g)].map(([, path = ""]) =>
        relative(root, resolve(root, dirname(file), path)),
      ),
    ),
  );
  const entries = /^src\/(?:cli|verbs|hooks\/(?:hook|serve)|(?:commands\/)?library\/\w+)\.ts$|\.d\.ts$/;
  return files
    .filter((file) => !used.has(file) && !entries.test(file))
    .reduce((sum, file) => sum + (texts.get(file)?.split("\n").length ?? 1) - 1, 0);
}
