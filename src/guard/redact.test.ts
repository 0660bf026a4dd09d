import { expect, test } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { redact, secretValues } from "./redact.ts";

// Assembled here so that secret scanners don't flag this file.
const letters = (count: number) => "aB3dE5gH7jK9".repeat(40).slice(0, count);
const GITHUB = `ghp_${letters(36)}`;

test("tokens are replaced by a marker of their kind", () => {
  const tokens: Record<string, string> = {
    "github-token": GITHUB,
    "anthropic-key": `sk-ant-api03-${letters(40)}`,
    "openai-key": `sk-proj-${letters(40)}`,
    "aws-key": `AKIA${"ABCDEFGH234567QR"}`,
    "google-key": `AIza${letters(35)}`,
    "slack-token": `xoxb-${letters(24)}`,
    "npm-token": `npm_${letters(36)}`,
    jwt: `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`,
  };
  for (const [kind, token] of Object.entries(tokens)) {
    expect(redact(`before ${token} after`)).toEqual({ text: `before [redacted ${kind}] after`, count: 1 });
  }
});

test("a private key goes whole, also when its end is missing", () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n${letters(40)}\n`;
  expect(redact(`a ${key}-----END RSA PRIVATE KEY----- b`).text).toBe("a [redacted private-key] b");
  expect(redact(`a ${key}`).text).toBe("a [redacted private-key]");
});

test("headers, addresses with a password and assignments keep what is not secret", () => {
  expect(redact("Authorization: Bearer abc.def-123456").text).toBe("Authorization: Bearer [redacted authorization]");
  expect(redact("git clone https://ana:hunter22@example.org/r.git").text).toBe(
    "git clone https://[redacted url-password]@example.org/r.git",
  );
  expect(redact('{"db_password": "correct horse"}').text).toBe('{"db_password": "[redacted secret]"}');
  expect(redact("export API_TOKEN=s3cr3t-value; ls").text).toBe("export API_TOKEN=[redacted secret]; ls");
  expect(redact("mysql --password=hunter22 db").text).toBe("mysql --password=[redacted secret] db");
});

test("placeholders and references are left to be read", () => {
  const texts = [
    "Authorization: Bearer $TOKEN",
    "password: <your password>",
    "token=${GITHUB_TOKEN}",
    "api_key = process.env.API_KEY",
    "password = null",
    "The token expires after an hour.",
    "https://example.org/a:b@c",
  ];
  expect(texts.map((text) => redact(text).text)).toEqual(texts);
});

test("known values are found wherever they stand", () => {
  const values = secretValues({
    DB_PASSWORD: "tr0ub4dor",
    HOME: "/home/ana",
    GITHUB_TOKEN: "short",
    NPM_TOKEN: undefined,
    PATH: "/usr/bin",
  });
  expect(values).toEqual(["tr0ub4dor"]);
  expect(redact("psql postgres tr0ub4dor; echo tr0ub4dor", { values })).toEqual({
    text: "psql postgres [redacted secret]; echo [redacted secret]",
    count: 2,
  });
});

test("overlapping secrets leave one marker and no rest", () => {
  expect(redact(`token=${GITHUB}`)).toEqual({ text: "token=[redacted github-token]", count: 1 });
  expect(redact(`x${GITHUB.slice(4)}y`, { values: [GITHUB.slice(4), GITHUB.slice(10, 30)] }).text).toBe(
    "x[redacted secret]y",
  );
});

test("redacting twice changes nothing", () => {
  const pieces = [
    "token=",
    "password: ",
    '"secret": "',
    '"',
    "Bearer ",
    "Authorization: ",
    "https://u:p4ssword@h/",
    GITHUB,
    "redacted",
    "[redacted ",
    "]",
    " ",
    "\n",
    "-----BEGIN PRIVATE KEY-----",
    letters(20),
    "--token ",
    "=",
    "'",
    "eyJ",
    ".",
  ];
  let state = 42;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: 12 }, () => pieces[Math.floor(next() * pieces.length)]).join("");
    const values = ["redacted", "redacted secret", letters(20)];
    const once = redact(text, { values }).text;
    expect(redact(once, { values }), JSON.stringify(text)).toEqual({ text: once, count: 0 });
  }
});

test("megabytes of almost-secrets end soon", () => {
  const pieces = [
    "-----BEGIN PRIVATE KEY-----",
    "password=",
    "a_b_",
    "://a:",
    "eyJa.",
    "bearer ",
    "sk-",
    'token: "',
    "[redacted ",
    "AKIA",
    "--token ",
  ];
  const start = processorTime();
  for (const piece of pieces) redact(piece.repeat(Math.ceil(1_000_000 / piece.length)));
  expect(processorTime() - start).toBeLessThan(pieces.length * 1500);
});
