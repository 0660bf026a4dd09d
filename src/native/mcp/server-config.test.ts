import { expect, test } from "vitest";
import { readConfig } from "./server-config.ts";

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
