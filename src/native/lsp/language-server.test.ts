import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../../test/support/is-alive.ts";
import { liveScene } from "../../../test/support/lsp-scene.ts";
import { until } from "../../../test/support/native-scene.ts";

test("a server starts with the first question and answers every kind of it", async () => {
  const { ask, noted, file } = liveScene();
  expect(noted()).toEqual([]);
  expect(await ask("definition")).toEqual({ places: [{ path: file, isFile: true, line: 2, column: 4 }], notes: [] });
  expect(await ask("references")).toEqual({ places: [], notes: [] });
  expect(await ask("hover")).toEqual({ hover: "at 1:2", notes: [] });
  expect(await ask("symbols")).toEqual({
    symbols: [
      { name: "s0", kind: "function", line: 0, depth: 0 },
      { name: "s1", kind: "function", line: 1, depth: 0 },
      { name: "inner\\u{1b}[31m", kind: "method", line: 1, depth: 1 },
      { name: "s2", kind: "function", line: 2, depth: 0 },
    ],
    notes: [],
  });
  expect(await ask("diagnostics", "a\nbad\n")).toEqual({
    problems: [{ severity: "error", line: 1, message: "bad: bad" }],
    notes: [],
  });
  const sent = noted().flatMap(({ method }) => method ?? []);
  expect(sent.slice(0, 4)).toEqual(["initialize", "initialized", "textDocument/didOpen", "textDocument/definition"]);
  // The text was the same until the last question.
  expect(sent.filter((method) => method.startsWith("textDocument/did"))).toEqual([
    "textDocument/didOpen",
    "textDocument/didChange",
  ]);
});

test("it is told of files that a command changed, created or deleted, before the next question", async () => {
  const { ask, noted, workspace } = liveScene();
  const other = join(workspace, "b.ts");
  await ask("hover");
  writeFileSync(other, "x");
  writeFileSync(join(workspace, "not-code.txt"), "x");
  await ask("hover");
  const changes = noted().flatMap(({ method, params }) => (method?.endsWith("WatchedFiles") === true ? [params] : []));
  expect(changes).toEqual([{ changes: [{ uri: `file://${other}`, type: 1 }] }]);
});

test("a change that brings errors is answered with those errors alone", async () => {
  const { ask, change } = liveScene();
  expect(await change("", "bad one\n")).toBeUndefined();
  await ask("diagnostics", "bad one\n");
  expect(await change("bad one\n", "x\nbad one\nbad two\n")).toEqual([
    { severity: "error", line: 2, message: "bad: bad two" },
  ]);
  expect(await change("x\nbad one\nbad two\n", "bad two\n")).toEqual([]);
  expect(await change(null, "bad three\n")).toEqual([{ severity: "error", line: 0, message: "bad: bad three" }]);
});

test("an edit waits only a short time for a server that does not report", async () => {
  const { ask, change } = liveScene("quiet", { editMs: 200 });
  await ask("hover");
  const began = Date.now();
  expect(await change("", "bad\n")).toBeUndefined();
  expect(Date.now() - began).toBeLessThan(5000);
});

test("what a server asks of us is refused or answered with nothing", async () => {
  const { ask } = liveScene("asks");
  await ask("definition");
  const answer = await ask("hover");
  expect("hover" in answer ? answer.hover.split("\n\n").slice(1) : []).toEqual([
    "[null,null]",
    "null",
    '{"applied":false,"failureReason":"signalbox does not let language servers change files"}',
    '{"success":false}',
    "null",
    '{"code":-32601,"message":"signalbox does not offer sampling/x"}',
  ]);
});

test("a question that hangs ends with its time or an interruption, and the next is answered", async () => {
  const { ask } = liveScene("hangs", { requestMs: 300 });
  await expect(ask("references")).rejects.toThrow("the language server small: it did not answer within 0.3 s");
  expect(await ask("hover")).toEqual({ hover: "at 1:2", notes: [] });
  const patient = liveScene("hangs");
  const stop = new AbortController();
  const hanging = patient.ask("references", "one\n", stop.signal);
  hanging.catch(() => undefined);
  await until(() => patient.noted().some(({ method }) => method === "textDocument/references"));
  stop.abort();
  await expect(hanging).rejects.toThrow("interrupted");
});

test("a server that ends by itself is started again once", async () => {
  const { ask, noted } = liveScene("crashes");
  await expect(ask("references")).rejects.toThrow("it ended by itself");
  expect(await ask("hover")).toEqual({ hover: "at 1:2", notes: [] });
  await expect(ask("references")).rejects.toThrow("it ended by itself");
  await expect(ask("hover")).rejects.toThrow(
    "it failed 2 times and is not started again in this session; use grep and read instead",
  );
  expect(noted().filter(({ pid }) => pid !== undefined)).toHaveLength(2);
});

test.each([
  ["dies", "it ended by itself; it printed: Error: cannot find the compiler"],
  ["garbage", "its messages have no header"],
  ["not-json", "it sent a message that is not JSON"],
  ["endless", "it sent a message of 9999999999 bytes"],
  ["silent", "it did not answer within 0.5 s"],
  ["odd-greeting", "its answer to the first request is not one of a language server"],
])("a server that cannot be used says why: %s", async (kind, because) => {
  const { ask } = liveScene(kind, kind === "silent" ? { startMs: 500 } : {});
  await expect(ask("hover")).rejects.toThrow(`the language server small: ${because}`);
});

test("an answer of 20 MB fails the question and not the server", async () => {
  const { ask } = liveScene("big");
  await expect(ask("references")).rejects.toThrow("the answer of the server is larger than 16 MiB");
  expect(await ask("hover")).toEqual({ hover: "at 1:2", notes: [] });
});

test("an error is passed on in one short line", async () => {
  const failed = liveScene("refuses").ask("references");
  await expect(failed).rejects.toThrow("the language server small: the server answered: no xxx");
  await expect(failed).rejects.toSatisfy((error: Error) => error.message.length < 400);
});

test("a flood of messages ends the server", async () => {
  await expect(liveScene("floods").ask("references")).rejects.toThrow("it sent more than 20000 messages in 10 s");
});

test("reports about thousands of files and lines are bounded", async () => {
  const answer = await liveScene("flood-files").ask("diagnostics", "bad\n");
  expect(answer).toEqual({ problems: [{ severity: "error", line: 0, message: "bad: bad" }], notes: [] });
  const { ask } = liveScene("many");
  const problems = await ask("diagnostics");
  expect("problems" in problems ? problems.problems.map(({ message }) => message.length) : []).toEqual(
    Array.from({ length: 500 }, () => 500),
  );
  expect(await ask("symbols")).toMatchObject({ notes: ["only the first 500 symbols are shown"] });
  expect(await ask("definition")).toMatchObject({ notes: ["3000 more places were left out"] });
});

test("places with odd addresses are read as far as they name files", async () => {
  const answer = await liveScene("odd").ask("definition");
  expect("places" in answer ? answer.places.map(({ path, isFile, line }) => [path, isFile, line]) : []).toEqual([
    ["/elsewhere/a b#c?é.ts", true, 0],
    ["/elsewhere/a b#c?é.ts", true, 1],
    ["/linked.ts", true, 3],
    ["file:///%zz", false, 0],
    ["file:///nul%00byte.ts", false, 0],
    ["file://other-host/share/x.ts", false, 0],
    ["untitled:Untitled-1", false, 0],
  ]);
});

test("it ends with the session", async () => {
  const { ask, server, noted } = liveScene();
  await ask("hover");
  const pid = noted()[0]?.pid ?? 0;
  expect(isAlive(pid)).toBe(true);
  await server[Symbol.asyncDispose]();
  expect(isAlive(pid)).toBe(false);
});

test("without a sandbox nothing is started", async () => {
  const containment = {
    place: async () => {},
    argv: async (_: string, bare: readonly string[]) => ({ argv: bare, inside: false }),
  };
  const { ask, noted } = liveScene("plain", { containment });
  await expect(ask("hover")).rejects.toThrow(
    "the language server small: it runs only in a sandbox, and there is none here",
  );
  expect(noted()).toEqual([]);
});
