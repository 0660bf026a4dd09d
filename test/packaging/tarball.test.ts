import { execFileSync, spawn } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packRelease } from "../../scripts/pack-release.ts";
import { startScriptedModel } from "../../src/models/scripted/server.ts";
import { publicPem, sealKey } from "../../src/receipts/seal/seal.ts";
import { isInstalled, offlineClaude, program } from "../agents/real-agent.ts";
import type { Registry } from "../support/registries/serve-registry.ts";
import { serveRegistry } from "../support/registries/serve-registry.ts";
import { PROJECT } from "../support/run-signalbox.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-tarball-")));
const keyHome = join(place, "key-home");
let tarball = "";

const ENV = { PATH: process.env["PATH"], HOME: join(place, "git"), GIT_CONFIG_GLOBAL: "/dev/null" };
const STAMP = "2026-01-01T00:00:00Z";

/** The project as one commit, the same one wherever and whenever it is made. */
function commitIn(folder: string): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      env: { ...ENV, GIT_AUTHOR_DATE: STAMP, GIT_COMMITTER_DATE: STAMP },
    });
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: PROJECT,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((name) => name !== "" && existsSync(join(PROJECT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(PROJECT, file), join(folder, file));
  }
  git("init", "-q", "-b", "main");
  writeFileSync(join(folder, ".git/info/exclude"), "node_modules\n");
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "All of it");
  return folder;
}

const made = (name: string) => {
  mkdirSync(join(place, name), { recursive: true });
  return join(place, name);
};

beforeAll(() => {
  chmodSync(place, 0o755);
  ({ tarball } = packRelease(commitIn(made("one")), made("out-one"), keyHome));
}, 240_000);
afterAll(() => rmSync(place, { recursive: true, force: true }), 60_000);

test("the same commit gives the same bytes, and a sealed statement says which commit", { timeout: 240_000 }, () => {
  const umask = process.umask(0o077);
  const other = packRelease(commitIn(made("another place")), made("out-two"), keyHome);
  process.umask(umask);
  expect(readFileSync(other.tarball).equals(readFileSync(tarball))).toBe(true);
  const seal = readFileSync(other.provenance, "utf8");
  expect(readFileSync(`${tarball}.provenance.json`, "utf8")).toBe(seal);

  const { payload, payloadType, signatures } = JSON.parse(seal);
  const statement = Buffer.from(payload, "base64");
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${statement.length} `),
    statement,
  ]);
  const key = createPublicKey(publicPem(sealKey(keyHome)));
  expect(verify(null, signed, key, Buffer.from(signatures[0].sig, "base64"))).toBe(true);
  const commit = execFileSync("git", ["rev-parse", "HEAD"], {
    cwd: join(place, "one"),
    encoding: "utf8",
    env: ENV,
  }).trim();
  expect(JSON.parse(statement.toString())).toMatchObject({
    subject: [{ name: "signalbox-0.1.0.tgz", digest: { sha256: other.sha256 } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: { buildDefinition: { externalParameters: { commit } } },
  });
});

test("a folder that differs from its commit is not packed", () => {
  writeFileSync(join(place, "one/README.md"), "other");
  expect(() => packRelease(join(place, "one"), made("out-three"), keyHome)).toThrow(
    "a release is made from a commit, and files here differ from it",
  );
});

/** What npm asks for, from the packages that are installed here. */
const installedPackages: Registry = (origin) => {
  const lock = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8")).packages;
  const names = Object.keys(lock).filter(
    (path) => path !== "" && lock[path].dev !== true && existsSync(join(PROJECT, path)),
  );
  return Object.fromEntries(
    names.flatMap((path) => {
      const name = path.replace(/^node_modules\//, "");
      const { version, dependencies, optionalDependencies, bin, engines, os, cpu } = JSON.parse(
        readFileSync(join(PROJECT, path, "package.json"), "utf8"),
      );
      const dist = { tarball: `${origin}/${name}/-/p.tgz` };
      const manifest = { name, version, dependencies, optionalDependencies, bin, engines, os, cpu, dist };
      return [
        [`/${name}`, JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: manifest } })],
        [`/${name}/-/p.tgz`, packed(path)],
      ];
    }),
  );
};

const tarballs = new Map<string, Buffer>();

/** Without compression: npm takes it, and one of them is Node itself. */
function packed(path: string): Buffer {
  const known = tarballs.get(path);
  if (known !== undefined) return known;
  const args = ["-c", "--transform", "s,^[.],package,", "-C", join(PROJECT, path), "."];
  const made = execFileSync("tar", args, { maxBuffer: 512 * 1024 * 1024 });
  tarballs.set(path, made);
  return made;
}

const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** All files below a folder with their texts; links as such. */
function everything(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path, "latin1") : "folder"];
    }),
  );
}

const olderNode = (process.env["PATH"] ?? "")
  .split(":")
  .filter((folder) => existsSync(join(folder, "node")))
  .find((folder) => /^v2[02]\./.test(execFileSync(join(folder, "node"), ["--version"], { encoding: "utf8" })));

test(
  "from an empty folder with only the tarball: install, use and uninstall, as an ordinary user, and nothing is left",
  {
    timeout: 300_000,
  },
  async () => {
    const { port } = await serveRegistry(installedPackages);
    await using model = await startScriptedModel({
      script: { turns: [{ shell: "echo worked > made.txt" }, { text: "Done." }] },
    });
    const [home, folder, work, elsewhere] = ["home", "tools", "work", "elsewhere"].map(made);
    if (home === undefined || folder === undefined || work === undefined || elsewhere === undefined) throw new Error();
    writeFileSync(join(home, ".profile"), "# mine\n");
    execFileSync("git", ["init", "-q"], { cwd: work, env: ENV });
    copyFileSync(tarball, join(folder, "signalbox.tgz"));
    // Where the real agent is not installed, a program of its name stands in.
    const bin = made("bin");
    const real = isInstalled("claude");
    if (real) symlinkSync(program("claude"), join(bin, "claude"));
    else writeFileSync(join(bin, "claude"), "#!/bin/sh\necho worked >made.txt\necho Done.\n", { mode: 0o755 });
    for (const path of [home, folder, work, elsewhere])
      if (NOBODY.uid !== undefined) execFileSync("chown", ["-R", `${NOBODY.uid}:${NOBODY.gid}`, path]);

    const env = {
      PATH: [bin, olderNode, "/usr/bin", "/bin"].filter(Boolean).join(":"),
      HOME: home,
      TMPDIR: elsewhere,
      npm_config_cache: join(elsewhere, "npm"),
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
    };
    const run = async (cwd: string, words: readonly string[], more: NodeJS.ProcessEnv = {}) => {
      const [first = "", ...rest] = words;
      const child = spawn(first, rest, { cwd, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"], ...NOBODY });
      const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
      return { stdout, stderr, code, words };
    };
    const before = { home: everything(home), work: everything(work) };

    const installed = await run(folder, ["npm", "install", "./signalbox.tgz"]);
    expect([installed.code, installed.stderr]).toEqual([0, ""]);
    // Nobody may change the package any more.
    const packageFolder = join(folder, "node_modules");
    execFileSync("chmod", ["-R", "a-w", packageFolder]);
    if (NOBODY.uid !== undefined) for (const path of [packageFolder]) chownSync(path, 0, 0);
    const signalbox = join(packageFolder, ".bin/signalbox");
    const ok = async (...words: readonly string[]) => {
      const outcome = await run(work, [signalbox, ...words]);
      expect(outcome).toMatchObject({ code: 0 });
      return outcome.stdout;
    };
    expect(await ok("--version")).toBe("0.1.0\n");
    expect(await ok("setup", "--yes", "--preset", "default")).toMatch(/^You can start {2}claude/);
    expect(await ok("demo")).toMatch(/VERIFIED/);
    expect(await ok("doctor")).toContain("No check failed.");
    const claude = await run(
      work,
      [signalbox, "claude", "-p", "make it", ...(real ? ["--", "--allowedTools=Bash"] : [])],
      {
        ...(real ? offlineClaude(model.url, home) : {}),
        CLAUDE_CONFIG_DIR: join(elsewhere, "claude"),
      },
    );
    expect(claude).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(readFileSync(join(work, "made.txt"), "utf8")).toBe("worked\n");
    expect(await ok("receipt", "verify")).toContain(real ? "1 receipt" : "0 receipts");
    expect(everything(home)).not.toEqual(before.home);
    expect(await ok("uninstall", "--all", "--yes")).toContain("Removed.");
    rmSync(join(work, "made.txt"));
    expect(everything(home)).toEqual(before.home);
    expect(everything(work)).toEqual(before.work);
    expect(readdirSync(elsewhere).filter((name) => name.startsWith("signalbox"))).toEqual([]);
    execFileSync("chmod", ["-R", "u+w", packageFolder]);
  },
);
