import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { before, launchCaller } from "./support/hook-calling-agent.ts";
import { signalbox } from "./support/run-signalbox.ts";

test("an exported trace has a span for each call below that of the session, and nothing of the content", async () => {
  const { home } = await launchCaller("claude", [
    before("claude", "echo our-secret-plan"),
    before("claude", "rm -rf ~"),
  ]);
  const { code, stdout } = await signalbox(["receipt", "export", "last", "--otlp"], { env: { HOME: home } });
  expect(code).toBe(0);
  const received = await throughReceiver(stdout);
  const { scopeSpans } = JSON.parse(received).resourceSpans[0];
  const [{ spans, schemaUrl }] = scopeSpans;
  const [root, ...calls] = spans;
  expect(schemaUrl).toMatch(/^https:\/\/opentelemetry\.io\/schemas\/\d+\.\d+\.\d+$/);
  expect(root.name).toBe("invoke_agent claude");
  expect(root.traceId).toMatch(/^[0-9a-f]{32}$/);
  const values = (span: { attributes: { key: string; value: object }[] }, wanted: string) =>
    span.attributes.find(({ key }) => key === wanted)?.value;
  const of = (span: typeof root) => [
    span.name,
    span.parentSpanId === root.spanId,
    values(span, "signalbox.verdict"),
    span.status.code,
  ];
  expect(calls.map(of)).toEqual([
    ["execute_tool Bash", true, undefined, 1],
    ["execute_tool Bash", true, { stringValue: "deny" }, 2],
  ]);
  expect(new Set(spans.map(({ spanId }: { spanId: string }) => spanId)).size).toBe(3);
  for (const span of spans) expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
  expect(received).not.toMatch(/our-secret-plan|rm -rf|"go"/);
});

/** As a collector gets it. */
async function throughReceiver(body: string): Promise<string> {
  const got = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    text(request).then(got.resolve, got.reject);
    response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const headers = { "content-type": "application/json" };
  await fetch(`http://127.0.0.1:${port}/v1/traces`, { method: "POST", headers, body });
  return await got.promise;
}
