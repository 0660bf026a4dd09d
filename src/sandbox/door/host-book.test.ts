import { expect, test } from "vitest";
import type { Target } from "../../lib/net/host-pattern.ts";
import { type DoorRecord, openBook } from "./door-records.ts";

const target = (host: string): Target => ({ scheme: "https", host, port: 443, usualPort: 443 });
const names = (count: number) => Array.from({ length: count }, (_, index) => target(`h${index}.example`));

test("refused hosts beyond the first 500 are counted together, and an allowed one is still recorded", () => {
  const records: DoorRecord[] = [];
  const book = openBook((record) => records.push(record));
  for (const host of names(600)) book.refuse(host, "not listed", "curl");
  book.refuse(undefined, "not a host", undefined);
  book.allow(target("example.com"), undefined);
  expect([book.traffic().length, records.length]).toEqual([501, 502]);
  expect(book.traffic().at(-1)).toEqual({
    host: "(other hosts)",
    port: 0,
    sent: 0,
    received: 0,
    refused: 101,
    commands: ["curl"],
  });
});

test("beyond 2,000 hosts no new one is reached, and known ones still are", () => {
  const book = openBook(() => undefined);
  for (const host of names(2000)) book.allow(host, undefined);
  expect(() => book.allow(target("one-more.example"), undefined)).toThrow("already reached 2000 hosts");
  expect(() => book.allow(target("h7.example"), undefined)).not.toThrow();
});

test("a host is recorded once per verdict, and at most twenty commands are kept for it", () => {
  const verdicts: string[] = [];
  const book = openBook(({ verdict, command }) => verdicts.push(`${verdict} ${command}`));
  for (let index = 0; index < 30; index++) {
    book.refuse(target("a.example"), "not listed", `command ${index}`);
    book.allow(target("a.example"), `command ${index}`);
  }
  expect(verdicts).toEqual(["deny command 0", "allow command 0"]);
  expect(book.traffic()[0]?.commands.length).toBe(20);
});

test("a refusal that could not be recorded is recorded with the next one", () => {
  const records: string[] = [];
  let isFull = true;
  const book = openBook(({ host }) => {
    if (isFull) throw new Error("disk full");
    records.push(host);
  });
  book.refuse(target("a.example"), "not listed", undefined);
  isFull = false;
  book.refuse(target("a.example"), "not listed", undefined);
  expect([records, book.traffic()[0]?.refused]).toEqual([["a.example"], 2]);
});
