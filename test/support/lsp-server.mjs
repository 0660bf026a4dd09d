// A small language server on stdin and stdout that can misbehave. Its first argument says how; its second is a file
// where it notes its process id and every message that it gets.
import { appendFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [kind = "plain", notes] = process.argv.slice(2);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
const note = (value) => notes !== undefined && appendFileSync(notes, `${JSON.stringify(value)}\n`);
const at = (line, character = 0) => ({ start: { line, character }, end: { line, character } });
const replies = [];
let version = 0;

note({ pid: process.pid });
if (kind === "garbage") process.stdout.write("Starting the server, please wait\n".repeat(500));
if (kind === "not-json") process.stdout.write("Content-Length: 5\r\n\r\n{{{{{");
if (kind === "endless") process.stdout.write("Content-Length: 9999999999\r\n\r\n{");
if (kind === "dies") {
  console.error("Error: cannot find the compiler\n    at somewhere");
  process.exit(1);
}

/** An error for each line that contains "bad". */
const diagnosed = (text) =>
  text
    .split("\n")
    .flatMap((line, index) =>
      line.includes("bad") ? [{ range: at(index), severity: 1, message: `bad: ${line}` }] : [],
    );

function report({ uri, text }) {
  if (kind === "quiet") return;
  if (kind === "flood-files")
    for (let count = 0; count < 5000; count++)
      send({ method: "textDocument/publishDiagnostics", params: { uri: `${uri}.${count}`, diagnostics: [] } });
  const diagnostics =
    kind === "many"
      ? Array.from({ length: 5000 }, (_, line) => ({ range: at(line), message: "x".repeat(900) }))
      : diagnosed(text);
  send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics } });
}

const PLACES = {
  plain: (uri) => [
    { uri, range: at(2, 4) },
    { uri, range: at(2, 4) },
  ],
  odd: () => [
    { uri: pathToFileURL("/elsewhere/a b#c?é.ts").href, range: at(0) },
    { uri: "file:///elsewhere/a%20b%23c%3F%C3%A9.ts", range: at(1) },
    { uri: "untitled:Untitled-1", range: at(0) },
    { uri: "file://other-host/share/x.ts", range: at(0) },
    { uri: "file:///nul%00byte.ts", range: at(0) },
    { uri: "file:///%zz", range: at(0) },
    { uri: 7, range: at(0) },
    { uri: "file:///negative.ts", range: at(-1) },
    null,
    "text",
    { targetUri: "file:///linked.ts", targetSelectionRange: at(3) },
  ],
  many: (uri) => Array.from({ length: 5000 }, (_, line) => ({ uri, range: at(line) })),
};

const ANSWERS = {
  initialize: () => ({
    capabilities: {
      definitionProvider: true,
      referencesProvider: {},
      hoverProvider: true,
      documentSymbolProvider: true,
    },
  }),
  "textDocument/definition": ({ textDocument }) => (PLACES[kind] ?? PLACES.plain)(textDocument.uri),
  "textDocument/references": () => null,
  "textDocument/hover": ({ position }) => ({
    contents: [
      { language: "x", value: `at ${position.line}:${position.character}` },
      ...replies.map((each) => JSON.stringify(each)),
    ],
  }),
  "textDocument/documentSymbol": () => nested(kind === "many" ? 2000 : 3),
};

const nested = (count) =>
  Array.from({ length: count }, (_, line) => ({
    name: `s${line}`,
    kind: 12,
    selectionRange: at(line),
    children: line === 1 ? [{ name: "inner\u001b[31m", kind: 6, selectionRange: at(line) }] : [],
  }));

const ASKED = [
  "workspace/configuration",
  "window/showMessageRequest",
  "workspace/applyEdit",
  "window/showDocument",
  "client/registerCapability",
  "sampling/x",
];

const NOTIFIED = {
  initialized() {
    if (kind !== "asks") return;
    for (const [index, method] of ASKED.entries()) send({ id: `q${index}`, method, params: { items: [{}, {}] } });
  },
  "textDocument/didOpen"({ textDocument }) {
    version = textDocument.version;
    report(textDocument);
  },
  "textDocument/didChange"({ textDocument, contentChanges }) {
    version = textDocument.version;
    report({ ...textDocument, text: contentChanges[0].text });
  },
};

/** Requests that are not answered as usual. */
const MISBEHAVIOURS = {
  "silent initialize": () => {},
  "odd-greeting initialize": (id) => send({ id, result: "hello" }),
  "hangs textDocument/references": () => {},
  "crashes textDocument/references": () => process.exit(3),
  "big textDocument/references": (id) => send({ id, result: "x".repeat(20_000_000) }),
  "refuses textDocument/references": (id) => send({ id, error: { code: -32603, message: `no\n${"x".repeat(5000)}` } }),
  "floods textDocument/references": () => {
    for (let count = 0; count < 30_000; count++) send({ method: "window/logMessage", params: {} });
  },
};

function take({ id, method, params, result, error }) {
  note({ method, params, result, error });
  if (method === undefined) replies.push(result === undefined ? error : result);
  else if (id === undefined) NOTIFIED[method]?.(params);
  else if (MISBEHAVIOURS[`${kind} ${method}`] !== undefined) MISBEHAVIOURS[`${kind} ${method}`](id);
  else if (ANSWERS[method] !== undefined) send({ id, result: ANSWERS[method](params) });
  else send({ id, error: { code: -32601, message: "unknown" } });
}

let pending = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  pending = Buffer.concat([pending, chunk]);
  for (;;) {
    const end = pending.indexOf("\r\n\r\n");
    const length = Number(
      /content-length: (\d+)/i.exec(pending.toString("latin1", 0, Math.max(end, 0)))?.[1] ?? Number.NaN,
    );
    if (end === -1 || !(pending.length >= end + 4 + length)) return;
    const body = pending.toString("utf8", end + 4, end + 4 + length);
    pending = pending.subarray(end + 4 + length);
    take(JSON.parse(body));
  }
});
process.stdin.on("end", () => process.exit(0));
