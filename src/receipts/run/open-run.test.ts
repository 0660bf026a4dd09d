import { expect, test } from "vitest";
import { type ContainmentFacts, uncontained } from "../../contract/seal.ts";
import { joinContainment } from "./open-run.ts";

const inside: ContainmentFacts = {
  ...uncontained(null),
  contained: true,
  by: "bubblewrap",
  held: ["disk", "network"],
  proven_at: "2026-11-18T10:00:00.000Z",
  hosts: [{ host: "a.example", sent: 1, received: 2 }],
  refused_hosts: ["x.example"],
  outside: ["one"],
};

test("what left the sandbox in several rounds is added up", () => {
  const later = { ...inside, hosts: [...inside.hosts, { host: "b.example", sent: 5, received: 5 }], outside: ["two"] };
  expect(joinContainment([inside, undefined, later])).toEqual({
    ...inside,
    hosts: [
      { host: "a.example", sent: 2, received: 4 },
      { host: "b.example", sent: 5, received: 5 },
    ],
    outside: ["one", "two"],
  });
});

test.each([
  ["first", [uncontained("no bubblewrap"), inside]],
  ["last", [inside, uncontained("no bubblewrap")]],
])("a run is not contained if its %s round was not", (_, rounds) => {
  expect(joinContainment(rounds)).toMatchObject({
    contained: false,
    held: [],
    because: "no bubblewrap",
    outside: ["one"],
  });
  expect(joinContainment([])).toBe(undefined);
});
