import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../../support/git-repository.ts";

/**
 * A small project in several languages, so that an ordinary command finds what it needs. Its remote is a folder inside
 * it: commands can push without leaving the workspace.
 */
export function makeWorkspace(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFiles(folder, FILES);
  writeFiles(folder, Object.fromEntries(BINARIES.map((name) => [`node_modules/.bin/${name}`, BINARY])));
  for (const path of [...BINARIES.map((name) => `node_modules/.bin/${name}`), "gradlew", "scripts/hook.sh"])
    chmodSync(join(folder, path), 0o755);
  execFileSync("tar", ["czf", "x.tgz", "src"], { cwd: folder });
  makeHistory(folder);
}

function makeHistory(folder: string): void {
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.invalid"];
  const run = (...args: string[]) => execFileSync("git", [...identity, ...args], { cwd: folder, stdio: "pipe" });
  run("init", "-q", "-b", "main");
  writeFiles(folder, { ".git/info/exclude": "remotes/\nnode_modules/\n" });
  run("add", "-A");
  run("commit", "-qm", "first");
  branch(run, folder, { name: "side", path: "side.txt" });
  branch(run, folder, { name: "conflicting", path: "a.txt" });
  writeFiles(folder, { "a.txt": "1\n2\n3\n", b: "bb\n" });
  run("commit", "-qam", "second");
  run("tag", "abc123", "side");
  run("init", "-q", "--bare", "-b", "main", "remotes/origin.git");
  run("remote", "add", "origin", "remotes/origin.git");
  run("push", "-q", "-u", "origin", "main");
}

function branch(
  run: (...args: string[]) => unknown,
  folder: string,
  { name, path }: { readonly name: string; readonly path: string },
): void {
  run("checkout", "-q", "-b", name, "main");
  writeFiles(folder, { [path]: `from ${name}\n` });
  run("add", "-A");
  run("commit", "-qm", `on ${name}`);
  run("checkout", "-q", "main");
}

const script = (name: string) => `node tools/run.mjs ${name}`;

const PACKAGE = {
  name: "demo",
  version: "1.0.0",
  type: "module",
  bin: { demo: "tools/run.mjs" },
  scripts: {
    ...Object.fromEntries(["test", "build", "lint", "prepack", "preinstall"].map((name) => [name, script(name)])),
    dev: "node server.mjs 3000",
  },
};
const LOCK = { name: "demo", version: "1.0.0", lockfileVersion: 3, requires: true, packages: { "": { name: "demo" } } };

/** Programs that a real project would have installed. Each runs the project's own code. */
const BINARIES = ["eslint", "prettier", "playwright", "vitest", "tsc"];
const BINARY = '#!/usr/bin/env node\nimport("../../tools/run.mjs");\n';

const SERVER = `import { createServer } from "node:http";
const server = createServer((request, response) => response.end("served " + request.url + "\\n"));
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log("listening"));
`;

// Holds one file, inside.txt.
const ZIP = Buffer.from(
  "UEsDBBQAAAAAAAAAIQC08v66BgAAAAYAAAAKAAAAaW5zaWRlLnR4dGluc2lkZVBLAQIUAxQAAAAAAAAAIQC08v66BgAAAAYAAAAKAAAAAAAAAAAAAACkAQAAAABpbnNpZGUudHh0UEsFBgAAAAABAAEAOAAAAC4AAAAAAA==",
  "base64",
);

const FILES: Readonly<Record<string, string | Buffer>> = {
  "package.json": `${JSON.stringify(PACKAGE, undefined, 2)}\n`,
  "package-lock.json": `${JSON.stringify(LOCK, undefined, 2)}\n`,
  "tools/run.mjs": 'console.log("ran", ...process.argv.slice(2), process.env.FOO ?? "");\n',
  "x.test.js": 'import test from "node:test";\ntest("passes", () => {});\n',
  "server.mjs": SERVER,
  "sub/package.json": '{ "name": "sub", "version": "1.0.0", "scripts": { "test": "node run.mjs" } }\n',
  "sub/run.mjs": 'console.log("ran sub");\n',
  "src/x.ts": "export const foo = 1;\n",
  "src/y.ts": "export const other = 2;\n",
  "src/old.ts": "export const old = 3;\n",
  "src/old/a.ts": "export const older = 4;\n",
  "src/m.py": "x: int = 1\n",
  "src/main.rs": "fn main() {}\n",
  "Cargo.toml": '[package]\nname = "demo"\nversion = "1.0.0"\nedition = "2021"\n',
  "Cargo.lock": '[[package]]\nname = "demo"\nversion = "1.0.0"\n',
  "go.mod": "module demo\n\ngo 1.19\n",
  "generate.go": "//go:generate true\npackage demo\n",
  "cmd/x/main.go": 'package main\nfunc main() { println("ran x") }\n',
  "a.txt": "1\n2\n3",
  a: "aa\n",
  b: "b\n",
  "log.txt": "a line of the log\n",
  "x.zip": ZIP,
  "x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n",
  "X.java": 'public class X { public static void main(String[] a) { System.out.println("ran x.jar"); } }\n',
  "script.py": "print('ran script.py')\n",
  "setup.py": "from setuptools import setup\nsetup(name='demo', version='1.0.0', py_modules=[])\n",
  "noxfile.py": "import nox\n@nox.session(python=False)\ndef tests(session):\n    print('ran nox')\n",
  "mypy.ini": "[mypy]\nplugins = ./mypy_plugin.py\n",
  "mypy_plugin.py": "from mypy.plugin import Plugin\ndef plugin(version):\n    return Plugin\n",
  artisan: "<?php echo 'ran artisan';\n",
  Gemfile: 'gem "rspec"\n',
  "spec/x_spec.rb": "RSpec.describe('x') { it('passes') { } }\n",
  Makefile: ".PHONY: build\nbuild:\n\t@echo ran make\n",
  "build/CTestTestfile.cmake": "add_test(passes true)\n",
  gradlew: "#!/bin/sh\necho ran gradlew\n",
  "pom.xml":
    "<project><modelVersion>4.0.0</modelVersion><groupId>demo</groupId><artifactId>demo</artifactId><version>1</version></project>\n",
  ".venv/bin/activate": "export VIRTUAL_ENV=$PWD/.venv\n",
  ".envrc": "export DEMO=1\n",
  ".pre-commit-config.yaml":
    "repos:\n- repo: local\n  hooks:\n  - {id: own, name: own, entry: scripts/hook.sh, language: script, pass_filenames: false}\n",
  "scripts/hook.sh": "#!/bin/sh\necho ran hook\n",
  "scripts/x.sh": "echo ran x.sh\n",
  "scripts/build.sh": "echo ran build.sh\n",
};
