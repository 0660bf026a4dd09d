import { APICallError } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { explainFailure } from "./explain-failure.ts";

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
