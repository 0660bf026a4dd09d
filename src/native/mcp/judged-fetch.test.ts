import { expect, test } from "vitest";
import { live, mcpPlace } from "../../../test/support/mcp-scene.ts";
import { serveLocally as serve } from "../../../test/support/oauth-mcp-server.ts";

const MIB = 1024 * 1024;

const http = (url: string, more: object = {}) => ({ type: "http", name: "docs", url, headers: {}, ...more }) as const;

test("an endless event on a stream fails before it fills the memory", async () => {
  let sent = 0;
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const piece = Buffer.alloc(MIB, "x");
    const go = () => {
      while (!response.destroyed && sent < 200 * MIB) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once("drain", go);
      }
    };
    response.write("event: endpoint\ndata: ");
    go();
  });
  const { call } = live({ type: "sse", name: "docs", url, headers: {} }, { ...mcpPlace(), startMs: 5000 });
  await expect(call("echo")).rejects.toThrow("larger than 16 MiB");
  expect(sent).toBeLessThan(60 * MIB);
});

test("a stream of many small events is not cut", async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = `event: noise\ndata: ${"x".repeat(MIB)}\n\n`;
    for (let count = 0; count < 20; count++) response.write(event);
  });
  const { call } = live({ type: "sse", name: "docs", url, headers: {} }, { ...mcpPlace(), startMs: 1500 });
  await expect(call("echo")).rejects.toThrow("it did not answer within 1.5 s");
});

test("redirects to other hosts, denied hosts and switched-off networks are said", async () => {
  const moved = await serve((_, response) => response.writeHead(307, { location: "http://192.0.2.1/mcp" }).end());
  await expect(live(http(moved)).call("echo")).rejects.toThrow(/307|redirect/i);
  const denied = mcpPlace({ deny: ["127.0.0.1"] });
  await expect(live(http(moved), denied).call("echo")).rejects.toThrow("127.0.0.1");
  for (const address of ["169.254.169.254", "[::ffff:169.254.169.254]", "[fe80::1]"])
    await expect(live(http(`http://${address}/mcp`)).call("echo")).rejects.toThrow("clouds keep credentials");
  await expect(live(http("http://no-such-name.invalid/mcp")).call("echo")).rejects.toThrow("has no address");
});

test("a server over HTTP that hangs, answers rubbish or goes away fails in words", async () => {
  const hanging = await serve(() => undefined);
  await expect(live(http(hanging), { ...mcpPlace(), startMs: 300 }).call("echo")).rejects.toThrow(
    "it did not answer within 0.3 s",
  );
  const rubbish = await serve((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end("}"),
  );
  await expect(live(http(rubbish)).call("echo")).rejects.toThrow("the MCP server docs cannot be used");
  const page = await serve((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"));
  await expect(live(http(page)).call("echo")).rejects.toThrow("text/html");
  const away = await serve((request) => request.socket.destroy());
  await expect(live(http(away)).call("echo")).rejects.toThrow("the MCP server docs cannot be used");
});
