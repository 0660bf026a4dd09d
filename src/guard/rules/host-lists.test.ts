import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseHostPattern } from "../../lib/net/host-pattern.ts";
import { judgeUrlAccess } from "../access/judge-access.ts";
import { realMachine } from "../machine/real-machine.ts";
import { checkPolicy } from "../policy/active-policy.ts";
import { readPolicyFile } from "../policy/load-policy.ts";
import { mergePolicy } from "../policy/merge-policy.ts";
import { expandGroups, HOST_GROUPS } from "./host-lists.ts";

const policyWith = (network: string) => `version: 1\nextends: none\nnetwork: ${network}\n`;

test("a group stands for its hosts, beside other entries", () => {
  expect(expandGroups(["a.example", "@go", "b.example:22"])).toEqual([
    "a.example",
    "proxy.golang.org",
    "sum.golang.org",
    "b.example:22",
  ]);
});

test.each(Object.entries(HOST_GROUPS))(
  "%s names public hosts that no stranger can open, and its source",
  (name, group) => {
    expect(name).toMatch(/^@[a-z]+$/);
    expect(group.source).toMatch(/^https:\/\//);
    expect(group.hosts.map((host) => parseHostPattern(host).source)).toEqual(group.hosts);
    expect(group.hosts.filter((host) => /googleapis|amazonaws|windows\.net|github\.io/.test(host))).toEqual([]);
  },
);

test("the judge reads groups in a policy file, to allow and to deny", () => {
  const merged = (network: string) =>
    mergePolicy([{ origin: "user", trusted: true, file: readPolicyFile(policyWith(network), "p.yaml") }], {
      workspaceRoot: "/w",
      home: "/h",
    });
  const codes = (network: string, url: string) =>
    judgeUrlAccess(url, { policy: merged(network), machine: realMachine }).map(({ code }) => code);
  const allow = "{ mode: allowlist, allow: ['@npm'] }";
  expect(codes(allow, "https://registry.npmjs.org/x")).toEqual([]);
  expect(codes(allow, "https://registry.npmjs.org:8443/x")).toEqual(["network-unlisted"]);
  expect(codes(allow, "https://npmjs.org/x")).toEqual(["network-unlisted"]);
  expect(codes("{ mode: any, deny: ['@npm'] }", "https://registry.npmjs.org/x")).toEqual(["network-denied"]);
});

test.each([
  ["['@nmp']", 'unknown host group "@nmp" (did you mean "@npm"?)'],
  ["['@']", 'unknown host group "@" (the groups are @npm'],
  ["['@constructor']", 'unknown host group "@constructor"'],
  ["['@npm:443']", 'unknown host group "@npm:443"'],
  ["['host']", '"host" needs a port, as in host:5432'],
  ["['host:*']", '"host:*" needs a port, as in host:5432'],
])("the list %s is a mistake in the policy", (list, message) => {
  expect(() => checkPolicy(policyWith(`{ mode: allowlist, allow: ${list} }`), "p.yaml")).toThrow(message);
});

test("a service of this machine is written host:PORT", () => {
  expect(checkPolicy(policyWith("{ mode: allowlist, allow: ['host:5432'] }"), "p.yaml").rules).toBe(0);
});

test("the documentation lists every group as it is", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/network-door.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(@\w+)` *\| (.+?) *\| (yes|no) *\|$/gm)].map(([, name, hosts, tried]) => ({
    name,
    hosts,
    tried,
  }));
  expect(rows).toEqual(
    Object.entries(HOST_GROUPS).map(([name, { hosts, tried }]) => ({
      name,
      hosts: hosts.map((host) => `\`${host}\``).join(" "),
      tried: tried ? "yes" : "no",
    })),
  );
});
