import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openHookServer } from "./server.ts";

const TOKEN = "t".repeat(32);

async function serving() {
  const asked: unknown[] = [];
  const server = await openHookServer({
    socket: undefined,
    token: TOKEN,
    seal: "SEAL",
    answer: async (request) => {
      asked.push(request);
      return { stdout: "{}", stderr: "", exit: 0 };
    },
  });
  onTestFinished(() => server[Symbol.dispose]());
  const dial = async () => {
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  const send = async (request: string) => {
    const socket = await dial();
    socket.write(request);
    return await text(socket);
  };
  return { asked, dial, send };
}

test("a caller that breaks its connection off does not keep the next one from being answered", async () => {
  const { asked, dial, send } = await serving();
  for (let turn = 0; turn < 3; turn++) {
    const socket = await dial();
    socket.write(`${TOKEN} tool-before x 100\nhalf`);
    socket.resetAndDestroy();
  }
  expect(await send(`${TOKEN} tool-before x 2\n{}`)).toContain("SEAL");
  expect(asked).toEqual([{ event: "tool-before", via: "x", text: "{}" }]);
});

test.each([
  ["another token", `${"u".repeat(32)} tool-before x 2\n{}`],
  ["no event", `${TOKEN} nothing x 2\n{}`],
  ["a length that is no number", `${TOKEN} tool-before x two\n{}`],
  ["an endless header", "x".repeat(300)],
])("a caller with %s gets no answer", async (_, request) => {
  const { asked, send } = await serving();
  expect([await send(request).catch(() => ""), asked]).toEqual(["", []]);
});

test("600 connections of others, which anyone on this machine can open, do not keep a wrapper from its answer", async () => {
  const { asked, dial, send } = await serving();
  const others = await Promise.all(Array.from({ length: 600 }, dial));
  for (const other of others) other.on("error", () => undefined).write("x");
  expect(await send(`${TOKEN} tool-before x 2\n{}`)).toContain("SEAL");
  for (const other of others) other.destroy();
  expect(asked.length).toBe(1);
});

test("a request that is cut short is not waited for", { timeout: 10_000 }, async () => {
  const { asked, dial } = await serving();
  const socket = await dial();
  socket.end(`${TOKEN} tool-before x 100\nhalf`);
  expect([await text(socket), asked]).toEqual(["", []]);
});

test("names that a staged wrapper remembers come before the text", async () => {
  const { asked, send } = await serving();
  await send(`${TOKEN} tool-before x 9 2\na\0b\0{"n"}`);
  expect(asked).toEqual([{ event: "tool-before", via: "x", remembered: ["a", "b"], text: '{"n"}' }]);
});
