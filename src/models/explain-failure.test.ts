import { APICallError } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { CONTEXT_LIMITS, explainFailure, REFUSED_IMAGES } from "./explain-failure.ts";

const tooMany = (wait: string) =>
  new APICallError({
    message: "slow down",
    url: "http://127.0.0.1:9",
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders: { "retry-after": wait },
  });

test.each([
  ["7", "HTTP 429: slow down"],
  ["99999", "HTTP 429: slow down (the server asks to wait 99999 s)"],
  ["soon", "HTTP 429: slow down"],
])("a server that asks for a wait of %s is explained", (wait, message) => {
  expect(explainFailure(tooMany(wait)).message).toBe(message);
});

test("an answer that makes no sense is said in our own words, and may be asked for again", () => {
  const { message, kind } = explainFailure(new Error("Expected a normalized Anthropic stream error"));
  expect([message, kind]).toEqual(["cannot parse the answer: it does not follow the protocol", "transient"]);
});

const refusal = (statusCode: number, responseBody: string, message = "Bad Request") =>
  new APICallError({ message, url: "http://127.0.0.1:9", requestBodyValues: {}, statusCode, responseBody });

test.each(CONTEXT_LIMITS)("$from says that a request is too long, in every form of a body", ({ example, words }) => {
  const bodies = [
    { error: { message: example } },
    { error: example, code: "400" },
    { message: example },
    { detail: example },
  ];
  expect(bodies.map((body) => explainFailure(refusal(400, JSON.stringify(body))))).toEqual(
    bodies.map(() => expect.objectContaining({ kind: "too-large", message: `HTTP 400: ${example}` })),
  );
  expect(example).toMatch(words);
});

test.each([
  [429, "Rate limit reached: Limit 30000, Requested 34012 tokens per min. Reduce the length of the messages."],
  [429, "Too many tokens, please wait before trying again."],
])("a limit for a minute is no limit of the model: %s %s", (status, text) => {
  expect(explainFailure(refusal(status, JSON.stringify({ error: { message: text } }))).kind).toBe("transient");
});

test.each(REFUSED_IMAGES)("an image that $from refuses is known", ({ example }) => {
  expect(explainFailure(refusal(400, JSON.stringify({ error: { message: example } }))).kind).toBe("bad-image");
});

test("an account with nothing left is not asked again", () => {
  const body = JSON.stringify({ error: { message: "You exceeded your current quota", code: "insufficient_quota" } });
  expect(explainFailure(refusal(429, body)).kind).toBe("refused");
});

test("a refused or missing key names its variable, and is never shown", () => {
  const error = refusal(401, "", "invalid key sk-0123456789");
  const keyVariable = "ANTHROPIC_API_KEY";
  expect(explainFailure(error, { key: "sk-0123456789", keyVariable }).message).toBe(
    "HTTP 401: invalid key [the key] (the key in ANTHROPIC_API_KEY was refused)",
  );
  expect(explainFailure(error, { keyVariable }).message).toContain("(no key was sent; set ANTHROPIC_API_KEY)");
});

test("an answer that began well and was cut is said to be cut", () => {
  const { message, kind } = explainFailure(refusal(200, "", "Failed to process successful response"));
  expect([message, kind]).toEqual(["the stream ended before the answer was complete", "transient"]);
});
