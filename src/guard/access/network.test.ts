import { describe, expect, test } from "vitest";
import { isPrivate, parseAddress, parseRange } from "../../lib/net/ip-address.ts";
import { parseHostPattern, readTarget } from "../../lib/net/host-pattern.ts";

describe("addresses", () => {
  test.each([
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "::1",
    "::",
    "::ffff:10.0.0.1",
    "::ffff:a00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "fe80::1",
    "fc00::1",
    "192.0.2.1",
    "168.63.129.16",
    "224.0.0.1",
    "255.255.255.255",
    "100.64.0.1",
  ])("%s is not public", (text) => {
    expect(isPrivate(parseAddress(text) ?? [])).toBe(true);
  });
  test.each(["8.8.8.8", "2606:4700::1111", "172.32.0.1", "100.128.0.1", "::ffff:8.8.8.8"])("%s is public", (text) => {
    const address = parseAddress(text);
    expect([address?.length, isPrivate(address ?? [])]).toEqual([16, false]);
  });
  test.each([
    "",
    "1.2.3",
    "01.2.3.4",
    "256.1.1.1",
    "1.2.3.4.5",
    ":::",
    "1::2::3",
    "g::1",
    "1:2:3:4:5:6:7:8:9",
    "::1%eth0",
  ])("%j is no address", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
  test("an empty or impossible prefix is no block", () => {
    expect(["10.0.0.0/", "10.0.0.0/33", "::/129", "x/8"].map(parseRange)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test("a target is read with its port, or refused", () => {
  expect(readTarget("HTTPS://GitHub.com./x")).toEqual({
    scheme: "https",
    host: "github.com",
    port: 443,
    usualPort: 443,
    lookalike: false,
  });
  expect(readTarget("http://0x7f.1/")).toMatchObject({ host: "127.0.0.1", port: 80 });
  for (const text of [
    "https://a@b.c",
    "https://a%2eb",
    "https:\\\\a",
    "https://a b",
    "https://.a.b",
    "//a.b",
    "https://a..b",
  ])
    expect(readTarget(text)).toHaveProperty("because");
});

test("patterns match whole labels only", () => {
  const matches = (pattern: string, hosts: readonly string[]) => hosts.map(parseHostPattern(pattern).matches);
  expect(matches("github.com", ["github.com", "a.github.com", "xgithub.com"])).toEqual([true, false, false]);
  expect(matches("*.github.com", ["github.com", "a.github.com", "a.b.github.com", "agithub.com"])).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(matches("**.github.com", ["github.com", "a.github.com", "github.com.evil.example"])).toEqual([
    true,
    true,
    false,
  ]);
  expect(matches("10.0.0.0/8", ["10.9.9.9", "11.0.0.0"])).toEqual([true, false]);
});

test("a listed host is that host; its sub-domains need a star, and a star does not mean the host itself", () => {
  const covered = (entry: string) =>
    ["example.com", "a.example.com", "a.b.example.com", "example.com.evil.test", "badexample.com"].filter((host) =>
      parseHostPattern(entry).matches(host),
    );
  expect(covered("example.com")).toEqual(["example.com"]);
  expect(covered("*.example.com")).toEqual(["a.example.com", "a.b.example.com"]);
  expect(covered("**.example.com")).toEqual(["example.com", "a.example.com", "a.b.example.com"]);
});
