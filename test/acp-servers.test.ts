import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { type McpServer, methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { openEditor, place, said, updatesOf } from "./support/acp-editor.ts";
import { isAlive } from "./support/is-alive.ts";
import { notedCalls, SERVER } from "./support/mcp-scene.ts";
import { rpcServer, serveLocally } from "./support/oauth-mcp-server.ts";

const { session } = methods.agent;
const call = (name: string, text = "") => ({ calls: [{ name, input: { text } }] });
const pidIn = (json: string) => Number(/pid\\+":(\d+)/.exec(json)?.[1]);
const small = (notes: string): McpServer => ({
  name: "small",
  command: process.execPath,
  args: [SERVER, "plain", notes],
  env: [],
});

test("an MCP server of the editor that does not start is named in the session", async () => {
  const here = await place({ turns: [{ text: "Hello." }] });
  const editor = await openEditor(here, () => "once", { capabilities: { session: { notices: {} } } });
  const server = { name: "files", command: "/bin/false", args: [], env: [] };
  await editor.agent.request(session.new, { cwd: here.cwd, mcpServers: [server] });
  await expect
    .poll(() => updatesOf(editor.updates, "notice"))
    .toEqual([
      expect.objectContaining({
        severity: "warning",
        title: "the MCP server files did not start: it ended before it answered",
      }),
    ]);
  await editor.close();
});

test("the tools of an editor's servers run after the user allows it, over stdio and HTTP, and end with the session", async () => {
  const here = await place({
    turns: [call("mcp__small__where"), call("mcp__far__whoami"), call("mcp__small__note"), { text: "Done." }],
  });
  const url = `${await serveLocally(rpcServer)}/mcp`;
  const notes = join(here.cwd, "calls.txt");
  const editor = await openEditor(here, ({ toolCall }) => (toolCall.title?.includes("note") ? "reject" : "once"));
  expect(editor.hello.agentCapabilities?.mcpCapabilities).toEqual({ http: true, sse: true });
  const { sessionId } = await editor.agent.request(session.new, {
    cwd: here.cwd,
    mcpServers: [small(notes), { type: "http", name: "far", url, headers: [{ name: "X-Key", value: "k" }] }],
  });
  await editor.ask(sessionId, "go");
  const answers = JSON.stringify(updatesOf(editor.updates, "tool_call_update"));
  expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual([
    expect.stringContaining("mcp__small__where"),
    expect.stringContaining("mcp__far__whoami"),
    expect.stringContaining("mcp__small__note"),
  ]);
  expect([notedCalls(notes), answers]).toEqual([["where"], expect.stringContaining("you are logged in")]);
  const pid = pidIn(answers);
  expect(isAlive(pid)).toBe(true);
  await editor.agent.request(session.close, { sessionId });
  expect(isAlive(pid)).toBe(false);
  await editor.close();
});

test("an editor that goes away during a call of its server ends the server", async () => {
  const here = await place({ turns: [call("mcp__small__where"), call("mcp__small__hang"), { text: "Well." }] });
  const notes = join(here.cwd, "calls.txt");
  const editor = await openEditor(here);
  const { sessionId } = await editor.agent.request(session.new, { cwd: here.cwd, mcpServers: [small(notes)] });
  const gone = expect(editor.ask(sessionId, "go")).rejects.toThrow();
  await expect.poll(() => notedCalls(notes), { timeout: 20_000 }).toEqual(["where", "hang"]);
  const pid = pidIn(JSON.stringify(editor.updates));
  expect([isAlive(pid), await editor.close(), isAlive(pid)]).toEqual([true, 0, false]);
  await gone;
  const again = await openEditor(here);
  await again.agent.request(session.load, { sessionId, cwd: here.cwd, mcpServers: [] });
  expect([await again.ask(sessionId, "and?"), said(again.updates)]).toEqual([
    { stopReason: "end_turn" },
    expect.stringContaining("Well."),
  ]);
  await again.close();
});

test("odd servers of an editor are refused or said, and the session works without them", async () => {
  const here = await place({ turns: [{ text: "Hello." }] });
  const editor = await openEditor(here, () => "once", { capabilities: { session: { notices: {} } } });
  const { sessionId } = await editor.agent.request(session.new, {
    cwd: here.cwd,
    mcpServers: [
      { name: "", command: "/bin/false", args: [], env: [] },
      { name: "two\nlines", command: "/no/such/program", args: [], env: [{ name: "A=B", value: "\0" }] },
      { type: "http", name: "nowhere", url: "not an address", headers: [] },
      { type: "http", name: "file", url: "file:///etc/passwd", headers: [{ name: "bad header", value: "\n" }] },
    ],
  });
  expect(await editor.ask(sessionId, "hi")).toEqual({ stopReason: "end_turn" });
  expect(said(editor.updates)).toBe("Hello.");
  const notices = () => updatesOf(editor.updates, "notice").map(({ title }) => title);
  await expect.poll(() => notices().length).toBe(4);
  expect(notices()).toEqual(
    expect.arrayContaining([
      "the editor names an MCP server with a name that is empty or too long; it is not used",
      expect.stringContaining("the MCP server two\\nlines did not start: "),
      "the MCP server nowhere did not start: Invalid URL",
      expect.stringContaining("the MCP server file did not start: "),
    ]),
  );
  await editor.close();
});

test("two editors on one session: the second is refused while the first has it", async () => {
  const here = await place({ turns: [{ text: "One." }, { text: "Two." }] });
  const [first, second] = [await openEditor(here), await openEditor(here)];
  const { sessionId } = await first.begin();
  await first.ask(sessionId, "hi");
  const opened = { sessionId, cwd: here.cwd, mcpServers: [] };
  const refused = "this session is open in another process";
  await expect(second.agent.request(session.load, opened)).rejects.toThrow(refused);
  await expect(second.agent.request(session.resume, opened)).rejects.toThrow(refused);
  await expect(second.agent.request(session.delete, { sessionId })).rejects.toThrow("it is open");
  expect(existsSync(join(here.home, ".signalbox/sessions", `${sessionId}.jsonl`))).toBe(true);
  await first.close();
  await second.agent.request(session.load, opened);
  expect(await second.ask(sessionId, "and?")).toEqual({ stopReason: "end_turn" });
  await second.close();
  expect(readFileSync(join(here.home, ".signalbox/sessions", `${sessionId}.jsonl`), "utf8")).toContain("Two.");
});
