import { expect, test } from "vitest";
import { isLoginError } from "./records.ts";

test.each([
  "Missing environment variable: `OPENAI_API_KEY`.",
  "No authentication information found.",
  "the agent refused session/new: Authentication required",
  "Invalid API key · Please run /login",
  "Not logged in · Please run /login",
  'API Error: 401 {"type":"error"}',
  "unexpected status 401 Unauthorized: ",
  "no API key for anthropic",
])("%s is about a login or key", (message) => {
  expect(isLoginError(message)).toBe(true);
});

test.each([
  "the agent reported: failed",
  "claimed done, not accepted: 'npm test' exited 1",
  "rate limit reached: 429 Too Many Requests",
  "401 tests passed, 2 failed",
  "connection refused",
])("%s is not", (message) => {
  expect(isLoginError(message)).toBe(false);
});
