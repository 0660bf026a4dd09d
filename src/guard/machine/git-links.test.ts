import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { gitLinks } from "./real-machine.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-links-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const SCRIPT = `git init -q --object-format=$0 $1; cd $1; git config user.name a; git config user.email a@example.com
  mkdir deep "deep/läng"; for f in a deep/b deep/läng/c deep/läng/${"n".repeat(200)} z; do echo x > "$f"; done
  for r in sub deep/sub "deep/läng/sub two"; do git init -q --object-format=$0 "$r"; git -C "$r" -c user.name=a -c user.email=a commit -q --allow-empty -m x; done
  git add -A 2> /dev/null; git update-index --index-version $2; [ $2 != 3 ] || { echo y > new; git add -N new; }`;

test.each(["sha1", "sha256"].flatMap((format) => ["2", "3", "4"].map((version) => [format, version] as const)))(
  "the links in an index of %s, version %s, are those that git lists",
  (format, version) => {
    const top = join(base, format + version);
    const env = { PATH: process.env["PATH"], HOME: base };
    execFileSync("/bin/bash", ["-ec", SCRIPT, format, top, version], { cwd: base, env });
    const listed = execFileSync("git", ["ls-files", "-s", "-z"], { cwd: top, env, encoding: "utf8" })
      .split("\0")
      .filter((entry) => entry.startsWith("160000"))
      .map((entry) => entry.slice(entry.indexOf("\t") + 1));
    expect(listed).toEqual(["deep/läng/sub two", "deep/sub", "sub"]);
    expect(gitLinks(join(top, ".git/index"))).toEqual(listed);
  },
);

test.each(["", "DIRC", "DIRC\0\0\0\u0002\0\0\0\u0009", "something else"])("an index that is %j has none", (text) => {
  writeFileSync(join(base, "index"), text);
  expect(gitLinks(join(base, "index"))).toEqual([]);
  expect(gitLinks(join(base, "missing"))).toEqual([]);
});
