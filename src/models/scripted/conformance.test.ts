import { expect, test } from "vitest";
import { type Client, CLIENTS, type Got, type Step } from "../../../test/support/conformance-clients.ts";
import type { ScriptInput } from "./script.ts";
import { startScriptedModel } from "./server.ts";

const cases = Object.entries(CLIENTS).flatMap(([wire, client]) =>
  [true, false].map((stream) => ({ wire, client, stream, form: stream ? "streamed" : "whole" })),
);

/** A started model and a function that queries it as `client` does. */
async function conversation(script: ScriptInput, { client, stream }: { client: Client; stream: boolean }) {
  const model = await startScriptedModel({ script });
  const post = (steps: readonly Step[]) =>
    fetch(`${model.url}/any/prefix${client.path(stream)}`, {
      method: "POST",
      body: JSON.stringify(client.body(steps, stream)),
    });
  const ask = async (steps: readonly Step[]): Promise<Got> => {
    const response = await post(steps);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return stream ? client.assembled(eventsIn(await response.text())) : client.whole(await response.json());
  };
  return { model, post, ask };
}

function eventsIn(text: string): unknown[] {
  const data = text.split("\n").filter((line) => line.startsWith("data: ") && line !== "data: [DONE]");
  return data.map((line): unknown => JSON.parse(line.slice("data: ".length)));
}

const hi = { user: "hi" };
const long = "A sentence that is long enough to be sent in more than one piece. ".repeat(4);

test.each(cases)("$wire, $form: a text", async (wire) => {
  const { model, ask } = await conversation({ turns: [{ thinking: "hm", text: long }] }, wire);
  await using _ = model;

  const { text, calls } = await ask([hi]);

  // On the Gemini wire thoughts are text parts too.
  expect({ text: text.replace(/^hm/, ""), calls }).toEqual({ text: long, calls: [] });
  expect(model.requests).toMatchObject([
    {
      wire: wire.wire,
      model: "m",
      stream: wire.stream,
      userTexts: ["hi"],
      toolNames: ["bash"],
      turn: 0,
      answered: "turn",
    },
  ]);
});

test.each(cases)("$wire, $form: parallel calls, their results, a text", async (wire) => {
  const { model, ask } = await conversation(
    { turns: [{ shell: ["ls", `echo ${long}`] }, { text: "done", expect: { contains: ["a.txt", "b.txt"] } }] },
    wire,
  );
  await using _ = model;

  const { calls } = await ask([hi]);
  const results = calls.map(({ id }, index) => ({ id, text: ["a.txt", "b.txt"][index] ?? "" }));
  const last = await ask([hi, { calls }, { results }]);

  expect(calls.map((call) => call.command)).toEqual(["ls", `echo ${long}`]);
  expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  expect(last).toEqual({ text: "done", calls: [] });
  expect(model.requests.map(({ turn, answered }) => ({ turn, answered }))).toEqual([
    { turn: 0, answered: "turn" },
    { turn: 1, answered: "turn" },
  ]);
});

test.each(cases)("$wire, $form: errors, a broken answer, then the answer", async (wire) => {
  const failures = [{ status: 529 }, { status: 429, body: "slow down", headers: { "retry-after": "7" } }, { cut: 1 }];
  const { model, post, ask } = await conversation({ turns: [{ text: long, failures }] }, wire);
  await using _ = model;

  const overloaded = await post([hi]);
  const limited = await post([hi]);
  const cut = await post([hi]);

  expect(overloaded.status).toBe(529);
  expect(JSON.stringify(await overloaded.json())).toContain("scripted failure 529");
  expect([limited.status, limited.headers.get("retry-after"), await limited.text()]).toEqual([429, "7", "slow down"]);
  expect(cut.status).toBe(200);
  await expect(cut.text()).rejects.toThrow("terminated");
  expect(await ask([hi])).toEqual({ text: long, calls: [] });
  expect(model.requests.map((request) => request.answered)).toEqual(["failure", "failure", "failure", "turn"]);
});

test.each(cases)("$wire, $form: a failed expectation is named to the client and kept", async (wire) => {
  const { model, post } = await conversation({ turns: [{ text: "hi", expect: { contains: "please" } }] }, wire);
  await using _ = model;

  const response = await post([hi]);

  const problem = 'the request does not contain "please"';
  expect(response.status).toBe(400);
  expect(JSON.stringify(await response.json())).toContain(
    JSON.stringify(`expectation failed: scene 0, turn 0: ${problem}`).slice(1, -1),
  );
  expect(model.failedExpectations).toEqual([
    {
      at: expect.any(String),
      path: `/any/prefix${wire.client.path(wire.stream)}`,
      scene: 0,
      turn: 0,
      problems: [problem],
    },
  ]);
});
