import { expect, test } from "vitest";
import { SmallHeaders } from "./send-http.ts";

const GIVEN = [
  {},
  { "Content-Type": "application/json", Authorization: "Bearer x" },
  { "x-b": "2", "X-A": " 1 ", "x-c": "" },
  [
    ["x-a", "1"],
    ["X-A", "2"],
    ["b", "3"],
  ] satisfies [string, string][],
];

test.each(GIVEN)("it holds what Node's Headers hold: %j", (given) => {
  const [small, whole] = [new SmallHeaders(given), new Headers(given)];
  expect([...small]).toEqual([...whole]);
  expect([...small.keys()]).toEqual([...whole.keys()]);
  expect([...small.values()]).toEqual([...whole.values()]);
  expect([...new SmallHeaders(whole)]).toEqual([...whole]);
  const [told, known]: [string[], string[]] = [[], []];
  small.forEach((value, name) => told.push(`${name}=${value}`));
  whole.forEach((value, name) => known.push(`${name}=${value}`));
  expect(told).toEqual(known);
});

test("it is changed as Node's Headers are", () => {
  const [small, whole] = [new SmallHeaders({ a: "1" }), new Headers({ a: "1" })];
  for (const headers of [small, whole]) {
    headers.append("A", "2");
    headers.set("User-Agent", "x");
    headers.set("user-agent", "y");
    headers.append("gone", "1");
    headers.delete("GONE");
  }
  expect([...small]).toEqual([...whole]);
  for (const name of ["a", "A", "USER-AGENT", "gone"])
    expect([small.get(name), small.has(name)]).toEqual([whole.get(name), whole.has(name)]);
});
