import { expect, test } from "vitest";
import { SEATBELT_HELD, seatbeltProfile, type SeatbeltPlan } from "./seatbelt-profile.ts";

const profile = (changes: Partial<SeatbeltPlan> = {}) =>
  seatbeltProfile({ writeRoots: ["/w"], protectedPaths: [], hiddenPaths: [], ...changes });

const linesAbout = (text: string, word: string) => text.split("\n").filter((line) => line.includes(word));

type Operation =
  | "file-read-data"
  | "file-read-metadata"
  | "file-write-data"
  | "file-write-unlink"
  | "file-write-create";

/** What the kernel would decide: the last rule that covers operation and path. Knows the filters that we write. */
function decide(text: string, operation: Operation, path: string): string {
  let verdict = "deny";
  for (const line of text.split("\n")) {
    const [, rule = "", rest = ""] = /^\((allow|deny) (.*)\)$/.exec(line) ?? [];
    const operations = rest.split(/ \(|\)$/)[0]?.split(" ") ?? [];
    const covers = operations.some(
      (name) => name === operation || (name.endsWith("*") && operation.startsWith(name.slice(0, -1))),
    );
    if (!covers) continue;
    const filters = rest.slice(operations.join(" ").length).trim();
    if (filters === "" || matches(filters, path)) verdict = rule;
  }
  return verdict;
}

function matches(filters: string, path: string): boolean {
  const all = /^\(require-all (\(regex ".*?"\)) \(require-any (.*)\)\)$/.exec(filters);
  if (all !== null) return matches(all[1] ?? "", path) && matches(all[2] ?? "", path);
  return [...filters.matchAll(/\((literal|subpath|regex) "((?:[^"\\]|\\.)*)"\)/g)].some(([, kind, quoted = ""]) => {
    const value = quoted
      .replace(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replace(/\\(["\\])/g, "$1");
    if (kind === "literal") return path === value;
    if (kind === "subpath") return path === value || path.startsWith(value === "/" ? "/" : `${value}/`);
    return new RegExp(value, "s").test(path);
  });
}

const PLAN: SeatbeltPlan = {
  writeRoots: ["/w", "/cache"],
  temporary: "/private/tmp/s",
  protectedPaths: ["/w/.git/hooks", "/w/.mcp.json"],
  hiddenPaths: ["/Users/dev/.ssh", "/w/keys/id"],
  hiddenGlobs: ["/w/**/.env", "/w/**/.env.*", "!/w/**/.env.example", "/**/*.pem"],
  protectedGlobs: ["/w/**/*.lock"],
  doorPort: 3128,
};

test.each<[Operation, string, "allow" | "deny"]>([
  ["file-read-data", "/usr/lib/x", "allow"],
  ["file-read-data", "/", "allow"],
  ["file-write-data", "/usr/lib/x", "deny"],
  ["file-write-data", "/w/src/a.ts", "allow"],
  ["file-write-create", "/w/src/a.ts", "allow"],
  ["file-write-data", "/wx/a", "deny"],
  ["file-write-data", "/private/tmp/s/a", "allow"],
  ["file-write-data", "/private/tmp/a", "deny"],
  ["file-write-data", "/dev/null", "allow"],
  ["file-write-data", "/dev/disk0", "deny"],
  ["file-read-data", "/w/.git/hooks/pre-commit", "allow"],
  ["file-write-data", "/w/.git/hooks/pre-commit", "deny"],
  ["file-write-create", "/w/.git/hooks/pre-push", "deny"],
  ["file-write-unlink", "/w/.git/hooks", "deny"],
  ["file-write-unlink", "/w/.git", "deny"],
  ["file-write-create", "/w/.git", "deny"],
  ["file-write-data", "/w/.git/index", "allow"],
  ["file-write-unlink", "/w/.git/index.lock", "deny"],
  ["file-write-unlink", "/w", "deny"],
  ["file-write-unlink", "/w/src", "allow"],
  ["file-write-create", "/w/.mcp.json", "deny"],
  ["file-write-data", "/w/.mcp.json.bak", "allow"],
  ["file-write-create", "/w/.MCP.Json", "deny"],
  ["file-write-data", "/w/.GIT/Hoo\u212as/pre-push", "deny"],
  ["file-write-unlink", "/w/.Git", "deny"],
  ["file-read-data", "/w/KEYS/ID", "deny"],
  ["file-write-data", "/w/.github/x", "allow"],
  ["file-read-data", "/Users/dev/.ssh/id_ed25519", "deny"],
  ["file-read-data", "/Users/dev/.sshx", "allow"],
  ["file-read-data", "/w/keys/id", "deny"],
  ["file-write-unlink", "/w/keys/id", "deny"],
  ["file-write-unlink", "/w/keys", "deny"],
  ["file-write-create", "/w/keys/other", "allow"],
  ["file-read-data", "/w/.env", "deny"],
  ["file-read-data", "/w/a/b/.env", "deny"],
  ["file-read-data", "/w/a/.env.local", "deny"],
  ["file-read-data", "/w/a/.env.example", "allow"],
  ["file-write-data", "/w/a/.env.example", "allow"],
  ["file-write-unlink", "/w/a/.env", "deny"],
  ["file-read-data", "/w/a/.envrc", "allow"],
  ["file-read-data", "/elsewhere/.env", "allow"],
  ["file-write-data", "/w/.git/hooks/.env.example", "deny"],
  ["file-read-data", "/cache/a/x.pem", "deny"],
  ["file-write-unlink", "/w/x.pem", "deny"],
  ["file-write-data", "/w/a/yarn.lock", "deny"],
  ["file-read-data", "/w/a/yarn.lock", "allow"],
])("%s of %s: %s", (operation, path, verdict) => {
  expect(decide(seatbeltProfile(PLAN), operation, path)).toBe(verdict);
});

test("everything is denied first, and only the door can be called", () => {
  const text = seatbeltProfile(PLAN);
  expect(text.split("\n").slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
  expect(linesAbout(text, "network-outbound")).toEqual([
    '(allow network-outbound (remote ip "localhost:3128"))',
    '(allow network-outbound (remote unix-socket (subpath "/private/tmp/s")))',
  ]);
  expect(text).not.toMatch(/\(remote ip "\*|network-outbound \(local|network\*|trustd|appleevent|lsopen|mDNSResponder/);
});

test("without a door there is no way out, and named loopback ports are added one by one", () => {
  expect(linesAbout(profile(), "network-outbound")).toEqual([]);
  expect(linesAbout(profile({ doorPort: 1, loopbackPorts: [3000, 1, 5173] }), "network-outbound")).toEqual(
    [1, 3000, 5173].map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
  );
  for (const doorPort of [0, -1, 65_536, 1.5, Number.NaN]) expect(() => profile({ doorPort })).toThrow("not a port");
});

test.each<[string, string]>([
  ['/w/a"b', '"/w/a\\"b"'],
  ["/w/a\\b", '"/w/a\\\\b"'],
  ["/w/a\nb", '"/w/a\\x0ab"'],
  ["/w/a b)(", '"/w/a b)("'],
  ["/w/[x]*?", '"/w/[x]*?"'],
  ["/w/ü🙂", '"/w/ü🙂"'],
])("the name %j is taken literally", (path, quoted) => {
  const text = profile({ protectedPaths: [path] });
  expect(linesAbout(text, "(deny file-write* (subpath")).toEqual([`(deny file-write* (subpath ${quoted}))`]);
  expect(decide(text, "file-write-data", path)).toBe("deny");
  expect(text.split("\n").filter((line) => line !== "" && !/^\(.*\)$/.test(line))).toEqual([]);
});

test("a pattern's ordinary characters are literal too", () => {
  const text = seatbeltProfile({ ...PLAN, hiddenGlobs: ["/w/a.b+c (1)/*.p?m", "/w/[ab]/x"] });
  const hidden = (path: string) => decide(text, "file-read-data", path) === "deny";
  expect(["/w/a.b+c (1)/x.pem", "/w/a.b+c (1)/x.pem/y", "/w/a/x"].map(hidden)).toEqual([true, true, true]);
  expect(["/w/axb+c (1)/x.pem", "/w/a.b+c (1)/d/x.pem", "/w/c/x"].map(hidden)).toEqual([false, false, false]);
});

test("a long path is given in pieces that the reader of profiles takes", () => {
  const path = `/w/${"ü".repeat(490)}`;
  const [line = ""] = linesAbout(profile({ protectedPaths: [path] }), "(deny file-write* ");
  const pieces = [...line.matchAll(/"([^"]*)"/g)].map(([, piece = ""]) => piece);
  expect(line).toMatch(/^\(deny file-write\* \(subpath \(string-append "/);
  expect([pieces.join(""), pieces.every((piece) => Buffer.byteLength(piece) <= 900)]).toEqual([path, true]);
});

test.each(["relative", "/w/../etc", "/w/./a", "/w//a", "/w/", "/w/a\0b", ""])("the path %j is refused", (path) => {
  expect(() => profile({ protectedPaths: [path] })).toThrow("cannot name the path");
});

test("a plan that may write nothing has no writable folder", () => {
  expect(decide(profile({ writeRoots: [] }), "file-write-data", "/w/a")).toBe("deny");
  expect(profile({ writeRoots: [], hiddenGlobs: ["!/w/a"] })).toContain('(allow file-read* (regex "^/w/a(/.*)?$"))');
});

test("of a hidden home only what is shown can be read, and files can be seen to be there", () => {
  const text = profile({
    hiddenFolders: ["/u"],
    shownPaths: ["/u/.nvm"],
    writeRoots: ["/u/w"],
    hiddenPaths: ["/u/.nvm/key"],
  });
  const read = (path: string) => decide(text, "file-read-data", path);
  expect(["/u", "/u/notes", "/u/.nvm", "/u/.nvm/bin/node", "/u/.nvm/key", "/u/w/a", "/usr/a"].map(read)).toEqual([
    "deny",
    "deny",
    "allow",
    "allow",
    "deny",
    "allow",
    "allow",
  ]);
  expect(decide(text, "file-read-metadata", "/u/notes")).toBe("allow");
  expect(decide(text, "file-read-metadata", "/u/.nvm/key")).toBe("deny");
});

test("a path in a protected folder can be opened again, but for what is protected in it", () => {
  const text = profile({ protectedPaths: ["/w/a", "/w/a/b/c"], reopenedPaths: ["/w/a/b"] });
  const write = (path: string) => decide(text, "file-write-data", path);
  expect(["/w/a/x", "/w/a/b/x", "/w/a/b/c", "/w/a/b/C/x"].map(write)).toEqual(["deny", "allow", "deny", "deny"]);
  expect(decide(text, "file-write-unlink", "/w/a/b")).toBe("deny");
});

test("what is lent is opened last", () => {
  const text = profile({ hiddenPaths: ["/k"], lent: { readable: ["/k/a"], writable: ["/k/b"] } });
  const both = (path: string) => [decide(text, "file-read-data", path), decide(text, "file-write-data", path)];
  expect(["/k/x", "/k/a", "/k/b"].map(both)).toEqual([
    ["deny", "deny"],
    ["allow", "deny"],
    ["allow", "allow"],
  ]);
});

test("many protected names take few expressions, none too long for a string of a profile", () => {
  const names = Array.from({ length: 60 }, (_, index) => `/w/.protected-name-${index}`);
  const text = profile({ protectedPaths: names });
  expect(
    names.filter((name) => decide(text, "file-write-create", name.toUpperCase().replace("/W", "/w")) === "allow"),
  ).toEqual([]);
  const expressions = [...text.matchAll(/\(regex "([^"]*)"\)/g)].map(([, value = ""]) => Buffer.byteLength(value));
  expect([expressions.length < 20, Math.max(...expressions) <= 900]).toEqual([true, true]);
});

test("a tag marks what is denied", () => {
  expect(profile({ tag: 'a"b' })).toContain('(deny default (with message "a\\"b"))');
});

test("the profile does not hold processes", () => {
  expect(SEATBELT_HELD).toEqual(["disk", "secrets", "network"]);
});
