import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { trust } from "../../guard/policy/trust.ts";
import { projectMcpFile, userMcpFile } from "../settings/settings-files.ts";
import { loadServers } from "./server-config.ts";

function places() {
  const [home, workspace] = [tempFolder(), tempFolder()];
  mkdirSync(join(workspace, ".signalbox"));
  const write = (path: string, ...names: readonly string[]) => {
    const text = JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: path }])) });
    writeFileSync(path, text);
    return text;
  };
  return { home, workspace, environment: {}, write, open: join(workspace, ".mcp.json") };
}

const uses = (...asked: Parameters<typeof loadServers>) =>
  loadServers(...asked).servers.map(({ name, source, unused }) => [name, source, unused]);

test("the user's servers count, a repository's only when that version of the file is trusted", () => {
  const place = places();
  place.write(userMcpFile(place.home), "mine");
  const text = place.write(place.open, "theirs");
  expect(uses(place)).toEqual([
    ["mine", "user", undefined],
    ["theirs", "project", "not trusted"],
  ]);
  expect(loadServers(place).notes).toEqual([
    `ignoring the MCP servers in ${place.open}: it is not trusted; to review it: signalbox trust`,
  ]);
  trust(place.home, { path: place.open, text, time: "" });
  expect(uses(place)[1]).toEqual(["theirs", "project", undefined]);
  place.write(place.open, "theirs", "another");
  expect(uses(place).slice(1)).toEqual([
    ["theirs", "project", "not trusted"],
    ["another", "project", "not trusted"],
  ]);
  expect(loadServers(place).notes[0]).toContain("it changed since you trusted it");
});

test("an editor's and the user's server is not replaced by one of the repository", () => {
  const place = places();
  place.write(userMcpFile(place.home), "a");
  const file = projectMcpFile(place.workspace);
  trust(place.home, { path: file, text: place.write(file, "a", "b"), time: "" });
  trust(place.home, { path: place.open, text: place.write(place.open, "b"), time: "" });
  const given = [{ type: "stdio", name: "b", command: "x", args: [], env: {} }] as const;
  expect(uses(place, given)).toEqual([
    ["b", "editor", undefined],
    ["a", "user", undefined],
    ["a", "project", "replaced"],
    ["b", "project", "replaced"],
    ["b", "project", "replaced"],
  ]);
});

test("a file that is not trusted keeps nobody from working, whatever is in it", () => {
  const place = places();
  writeFileSync(place.open, "{ broken");
  mkdirSync(projectMcpFile(place.workspace));
  const { servers, notes } = loadServers(place);
  expect(servers).toEqual([]);
  expect(notes).toHaveLength(2);
});
