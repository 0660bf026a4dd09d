import { Socket } from "node:net";
import { expect, test } from "vitest";
import type { NetworkLists } from "../../contract/policy.ts";
import { presetPolicy } from "../../guard/policy/compiled-policy.ts";
import { judgeUrlAccess } from "../../guard/access/judge-access.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { lists } from "../../../test/support/door-scene.ts";
import { admit, type Admission } from "./admit.ts";
import { openBook } from "./door-records.ts";
import { readDestination } from "./client-sockets.ts";

const PUBLIC = ["93.184.216.34"];

async function admitted(
  authority: string,
  network: NetworkLists,
  answers: readonly string[] = PUBLIC,
): Promise<Admission> {
  return await admit(
    readDestination(authority),
    { id: undefined, command: undefined },
    {
      policy: () => network,
      isLent: () => false,
      isTainted: () => false,
      resolve: async () => answers,
      ownAddresses: () => ["198.52.0.7"],
      resolveTime: 1000,
      book: openBook(() => undefined),
    },
  );
}

const AUTHORITIES = `
  example.com:443 EXAMPLE.com:443 example.com.:443 example.com:80 example.com:8443 example.com:22 a.example.com:443
  wild.test:443 a.wild.test:443 a.b.wild.test:443 both.test:443 a.both.test:443 notboth.test:443 denied.both.test:443
  github.com:443 registry.npmjs.org:443 93.184.216.34:443 8.8.8.8:443 1.1.1.1:53 [2606:4700::1111]:443 10.1.2.3:443
  10.1.2.3:444 10.1.2.4:443 172.16.0.1:443 192.168.0.1:443 169.254.169.254:80 100.64.0.1:443 224.0.0.1:443
  255.255.255.255:443 0xA9FEA9FE:80 2852039166:80 0251.0376.0251.0376:80 169.254.43518:80 [fe80::1]:443
  [fe80::1%25eth0]:443 [fe80::1%eth0]:443 [fc00::1]:443 [64:ff9b::a9fe:a9fe]:80 [::ffff:169.254.169.254]:80
  [::ffff:a9fe:a9fe]:80 [::ffff:0:169.254.169.254]:80 [2002:a9fe:a9fe::]:443 [ff02::1]:443 [2001:db8::1]:443
  metadata.google.internal:80 metadata:80 printer.local:443 intranet:443 169-254-169-254.nip.io:443 ex%61mple.com:443
  user@example.com:443 example.com:443:443 ｅxample.com:443 xn--bcher-kva.example:443 bücher.example:443 .example.com:443
  example..com:443 example.com\\@x.test:443 ex_ample.com:443 host:5432 host:5433 :443 [::1:443 1.2.3.4.5:443 256.1.1.1:443
`
  .trim()
  .split(/\s+/);

const LISTS: Readonly<Record<string, NetworkLists>> = {
  none: lists({ mode: "none" }),
  nothing: lists(),
  listed: lists({
    allow: ["example.com", "*.wild.test", "**.both.test", "93.184.216.34", "10.1.2.3", "host:5432", "[fc00::1]"],
    deny: ["denied.both.test"],
  }),
  groups: lists({ allow: ["@npm", "@github"], deny: ["registry.yarnpkg.com"] }),
  blocks: lists({ allow: ["example.com", "10.1.0.0/16", "172.16.0.0/12:443", "169.254.0.0/16", "127.0.0.0/8"] }),
  ports: lists({ allow: ["example.com", "example.com:22", "a.example.com:*"], ports: [443, 8443] }),
  any: lists({ mode: "any", deny: ["example.com", "@npm"] }),
  httpsOnly: lists({ mode: "any", schemes: ["https"] }),
};

test.each(Object.keys(LISTS))("door and judge agree about every spelling of a host, list %s", async (name) => {
  const network = LISTS[name] ?? lists();
  const policy = { ...presetPolicy("none", { workspaceRoot: "/w", home: "/h" }), network };
  const rows = AUTHORITIES.flatMap((authority) =>
    [PUBLIC, ["10.1.2.3"], ["10.9.9.9"], ["93.184.216.34", "127.0.0.1"], ["nonsense"]].map((answers) => ({
      authority,
      answers,
    })),
  );
  const differing: unknown[] = [];
  for (const { authority, answers } of rows) {
    const target = readDestination(authority);
    const literal = "host" in target && /^[\d.]+$|:/.test(target.host) ? [target.host] : answers;
    const scheme = authority.endsWith(":80") ? "http" : "https";
    const findings = judgeUrlAccess(`${scheme}://${authority}`, {
      policy,
      machine: { ...realMachine, addresses: () => literal },
    });
    const answer = await admitted(authority, network, answers);
    if ((answer.kind === "admitted") !== (findings.length === 0))
      differing.push({ authority, answers, answer, findings });
  }
  expect(differing).toEqual([]);
});

test("what the lists open is exactly this", async () => {
  const open = async (name: string) => {
    const answers = await Promise.all(
      AUTHORITIES.map(async (to) => ({ to, ...(await admitted(to, LISTS[name] ?? lists())) })),
    );
    return answers.filter(({ kind }) => kind === "admitted").map(({ to }) => to);
  };
  expect(await open("none")).toEqual([]);
  expect(await open("nothing")).toEqual([]);
  expect(await open("listed")).toEqual([
    "example.com:443",
    "EXAMPLE.com:443",
    "example.com.:443",
    "example.com:80",
    "a.wild.test:443",
    "a.b.wild.test:443",
    "both.test:443",
    "a.both.test:443",
    "93.184.216.34:443",
    "10.1.2.3:443",
    "[fc00::1]:443",
    "host:5432",
  ]);
  expect(await open("blocks")).toEqual([
    "example.com:443",
    "EXAMPLE.com:443",
    "example.com.:443",
    "example.com:80",
    "10.1.2.3:443",
    "10.1.2.4:443",
    "172.16.0.1:443",
  ]);
  expect(await open("groups")).toEqual(["github.com:443", "registry.npmjs.org:443"]);
  expect(await open("ports")).toEqual([
    "example.com:443",
    "EXAMPLE.com:443",
    "example.com.:443",
    "example.com:8443",
    "example.com:22",
    "a.example.com:443",
  ]);
});

test("loopback is the sandbox's own, so the judge lets it pass and the door does not open this machine", async () => {
  const network = lists({ allow: ["localhost:*", "127.0.0.1:*"] });
  const policy = { ...presetPolicy("none", { workspaceRoot: "/w", home: "/h" }), network };
  const url = "http://127.0.0.1:3000";
  expect(judgeUrlAccess(url, { policy, machine: realMachine })).toEqual([]);
  for (const authority of [
    "localhost:3000",
    "127.0.0.1:3000",
    "2130706433:3000",
    "[::1]:3000",
    "[::ffff:127.0.0.1]:3000",
    "0:3000",
  ])
    expect(await admitted(authority, network)).toMatchObject({ kind: "refused" });
  expect(
    await admitted("example.test:3000", lists({ allow: ["example.test:3000", "127.0.0.1:*"] }), ["127.0.0.1"]),
  ).toEqual({
    kind: "refused",
    because: "example.test leads to 127.0.0.1, which is not a public address",
  });
});

test.each<[string, readonly string[], Admission]>([
  [
    "a private address",
    ["10.0.0.1"],
    {
      kind: "refused",
      because:
        "example.com leads to 10.0.0.1, which is not a public address. To allow it all the same: signalbox guard allow --host example.com",
    },
  ],
  [
    "a private one among public ones",
    ["93.184.216.34", "fd00::1"],
    {
      kind: "refused",
      because:
        "example.com leads to fd00::1, which is not a public address. To allow it all the same: signalbox guard allow --host example.com",
    },
  ],
  ["an address with a zone", ["fe80::1%eth0"], { kind: "refused", because: "example.com leads to fe80::1%eth0" }],
  ["a name", ["other.example"], { kind: "refused", because: "example.com leads to other.example" }],
  [
    "this machine",
    ["198.52.0.7"],
    { kind: "refused", because: "example.com leads to 198.52.0.7, which is this machine" },
  ],
  [
    "the same, mapped",
    ["::ffff:198.52.0.7"],
    { kind: "refused", because: "example.com leads to ::ffff:198.52.0.7, which is this machine" },
  ],
  ["nothing", [], { kind: "failed", because: "example.com has no address" }],
])("a name that resolves to %s is not connected", async (_what, answers, expected) => {
  expect(await admitted("example.com:443", lists({ allow: ["example.com"] }), answers)).toEqual(expected);
});

test("an address that is listed on that port may be private, by itself and by a name, but never this machine", async () => {
  const network = lists({ allow: ["db.test", "db.test:5432", "10.0.0.1:5432"] });
  expect(await admitted("db.test:5432", network, ["10.0.0.1"])).toEqual({ kind: "admitted", addresses: ["10.0.0.1"] });
  expect(await admitted("db.test:443", network, ["10.0.0.1"])).toMatchObject({ kind: "refused" });
  expect(await admitted("db.test:5432", network, ["10.0.0.2"])).toMatchObject({ kind: "refused" });
});

test("a block opens the private addresses in it, and what a refusal says to add is enough", async () => {
  const blocks = lists({ allow: ["db.test", "db.test:5432", "10.0.0.0/24"] });
  expect(await admitted("db.test:443", blocks, ["10.0.0.9"])).toEqual({ kind: "admitted", addresses: ["10.0.0.9"] });
  expect(await admitted("db.test:443", blocks, ["10.0.1.9"])).toMatchObject({ kind: "refused" });
  const refusal = await admitted("db.test:5432", blocks, ["10.0.0.9"]);
  const entry = /--host (\S+)/.exec("because" in refusal ? refusal.because : "")?.[1] ?? "";
  expect(entry).toBe("db.test:5432");
  const named = { ...blocks, named: [entry] };
  expect(await admitted("db.test:5432", named, ["10.0.0.9"])).toMatchObject({ kind: "admitted" });
  expect(await admitted("db.test:443", named, ["10.0.1.9"])).toMatchObject({ kind: "refused" });
});

test("a host that a person listed by name may be private, but never this machine, link-local or metadata", async () => {
  const network = lists({ allow: ["@npm", "mirror.test", "**.other.test"], named: ["mirror.test"] });
  for (const address of ["10.0.0.9", "172.16.0.1", "192.168.1.1", "203.0.113.80", "fd12::1"])
    expect([address, await admitted("mirror.test:443", network, [address])]).toMatchObject([
      address,
      { kind: "admitted" },
    ]);
  for (const address of [
    ..."127.0.0.1 0.0.0.0 169.254.169.254 100.100.100.200 192.0.0.192 224.0.0.1 198.52.0.7".split(" "),
    ..."::1 fe80::1 fd00:ec2::254 64:ff9b::a9fe:a9fe ::ffff:169.254.169.254".split(" "),
  ])
    expect([address, await admitted("mirror.test:443", network, [address])]).toMatchObject([
      address,
      { kind: "refused" },
    ]);
  for (const host of ["registry.npmjs.org:443", "a.other.test:443", "mirror.test:8443"])
    expect([host, await admitted(host, network, ["10.0.0.9"])]).toMatchObject([host, { kind: "refused" }]);
});

test("of an endless list of addresses only some are used", async () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `93.184.${(index >> 8) & 255}.${index & 255}`);
  const answer = await admitted("example.com:443", lists({ allow: ["example.com"] }), many);
  expect(answer).toEqual({ kind: "admitted", addresses: many.slice(0, 32) });
});

test("a list that cannot be read opens nothing", async () => {
  const answer = await admitted("example.com:443", lists({ allow: ["example.com", "@nmp"] }));
  expect(answer).toEqual({
    kind: "refused",
    because: 'the request could not be judged (unknown host group "@nmp" (did you mean "@npm"?))',
  });
});

test("while the session is tainted, a new host is refused and a known one is not", async () => {
  const book = openBook(() => undefined);
  const known = readDestination("known.example:443");
  if ("because" in known) throw new Error(known.because);
  book.allow(known, undefined);
  book.meter(known, new Socket());
  const kinds = ["known.example:443", "known.example:80", "new.example:443"].map(async (authority) => {
    const parts = {
      policy: () => lists({ allow: ["known.example", "new.example"] }),
      isLent: () => true,
      isTainted: () => true,
      resolve: async () => PUBLIC,
      resolveTime: 1000,
      book,
    };
    return (await admit(readDestination(authority), { id: "c1", command: "curl" }, parts)).kind;
  });
  expect(await Promise.all(kinds)).toEqual(["admitted", "refused", "refused"]);
});
