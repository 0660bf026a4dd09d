import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { trust } from "../../guard/policy/trust.ts";
import { projectMcpFile, userMcpFile } from "../settings/settings-files.ts";
import { loadServers, readConfig } from "./server-config.ts";

const read = (text: string, environment: Record<string, string> = {}) => readConfig(text, "/x/mcp.json", environment);

test("programs and addresses are read in the form that other clients write", () => {
  const text = JSON.stringify({
    mcpServers: {
      files: { command: "npx", args: ["-y", "files"], env: { TOKEN: "${TOKEN}", LEVEL: "${LEVEL:-low}" } },
      docs: { type: "http", url: "https://${HOST}/mcp", headers: { Authorization: "Bearer ${TOKEN}" }, timeout: 5000 },
      old: { type: "sse", url: "http://127.0.0.1:1/sse" },
      off: { command: "x", disabled: true },
    },
  });
  const usual = { timeoutMs: undefined };
  expect(read(text, { TOKEN: "t", HOST: "h.example" })).toEqual({
    servers: [
      {
        ...usual,
        type: "stdio",
        name: "files",
        command: "npx",
        args: ["-y", "files"],
        env: { TOKEN: "t", LEVEL: "low" },
      },
      {
        type: "http",
        name: "docs",
        url: "https://h.example/mcp",
        headers: { Authorization: "Bearer t" },
        timeoutMs: 5000,
      },
      { ...usual, type: "sse", name: "old", url: "http://127.0.0.1:1/sse", headers: {} },
    ],
    problems: [],
    warnings: [],
  });
});

test("comments, a trailing comma and a byte order mark are fine; unknown fields are said with their line", () => {
  const { servers, warnings } = read(
    '\ufeff{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x", "colour": "red" },\n  }\n}\n',
  );
  expect(servers.map(({ name }) => name)).toEqual(["a"]);
  expect(warnings).toEqual(["/x/mcp.json:4: a: ignoring colour"]);
});

test.each([
  ["nothing", "", "/x/mcp.json:1: not valid JSON"],
  ["a list", "[]", "/x/mcp.json:1: not an object"],
  ["no servers", '{\n"servers": {} }', '/x/mcp.json:1: "mcpServers" is missing'],
  ["a list of servers", '{\n"mcpServers": [] }', '/x/mcp.json:2: "mcpServers" is missing or not an object'],
  ["half a file", '{\n"mcpServers": {\n', "/x/mcp.json:3: not valid JSON"],
  ["deep brackets", "[".repeat(100_000), "/x/mcp.json:1: it is nested more than 32 levels deep"],
])("a file with %s is named with its line", (_, text, message) => {
  const { servers, problems } = read(text);
  expect(servers).toEqual([]);
  expect(problems.map(({ because }) => because).join()).toContain(message);
});

test.each([
  ["no program and no address", {}, "it needs either"],
  ["both", { command: "x", url: "https://a" }, "it needs either"],
  ["a text", "x", "it is not an object"],
  ["arguments that are no list", { command: "x", args: "y" }, "args: "],
  ["a variable that is not set", { command: "${NO}" }, "the variable NO is not set"],
  ["an address of another kind", { url: "file:///etc/passwd" }, "not an http or https address"],
  ["an unknown transport", { type: "pigeon", url: "https://a" }, "type: "],
])("a server with %s is left out and said", (_, server, message) => {
  const { servers, problems } = read(JSON.stringify({ mcpServers: { bad: server, good: { command: "x" } } }));
  expect(servers.map(({ name }) => name)).toEqual(["good"]);
  expect(problems[0]?.name).toBe("bad");
  expect(problems[0]?.because).toContain(message);
});

test("odd names are refused, and of two with one name the first counts", () => {
  const { servers, problems } = read(
    '{"mcpServers":{"__proto__":{"command":"x"},"a\\n":{"command":"x"},"b":{"command":"1"},"b":{"command":"2"}}}',
  );
  expect(servers).toMatchObject([{ name: "b", command: "1" }]);
  expect(problems.map(({ name }) => name)).toEqual(["__proto__", "a\n", "b"]);
});

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
