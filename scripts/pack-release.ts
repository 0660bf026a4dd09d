import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { signalboxHome } from "../src/lib/path/home-folder.ts";
import { isRecord } from "../src/lib/json/json-value.ts";
import { parseJson } from "../src/lib/json/parse-json.ts";
import { sha256 } from "../src/lib/json/sha256.ts";
import { UserError } from "../src/lib/text/user-error.ts";
import { sealKey, signPayload } from "../src/receipts/seal/seal.ts";

interface Release {
  readonly tarball: string;
  readonly sha256: string;
  /** The sealed statement of what the tarball was made from. */
  readonly provenance: string;
}

/**
 * Packs the commit that is checked out in `source`: the same commit gives the same bytes, wherever it is packed, with
 * the same Node and packages. The statement beside it is signed with the key of `home`.
 */
export function packRelease(source: string, out: string, home: string): Release {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: source, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain");
  if (changed !== "")
    throw new UserError("a release is made from a commit, and files here differ from it", {
      where: changed.split("\n").slice(0, 5).join(", "),
      fix: "commit or stash them: git status",
    });
  const commit = git("rev-parse", "HEAD");
  const place = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-release-")));
  // The mode of a file is part of the package.
  const umask = process.umask(0o022);
  try {
    const archive = spawnSync("git", ["archive", commit], { cwd: source, maxBuffer: 256 * 1024 * 1024 });
    execFileSync("tar", ["-x", "--no-same-permissions", "-C", place], { input: archive.stdout });
    symlinkSync(join(source, "node_modules"), join(place, "node_modules"));
    const run = (program: string, ...args: readonly string[]) =>
      execFileSync(program, args, { cwd: place, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
    run(process.execPath, "scripts/build.ts", "--portable");
    // npm warns about scripts of a package, and those are for work on it.
    const { scripts: _scripts, devDependencies: _packages, ...manifest } = readManifest(join(place, "package.json"));
    writeFileSync(join(place, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    mkdirSync(out, { recursive: true });
    const name = run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", out);
    const tarball = join(out, name);
    const digest = sha256(readFileSync(tarball));
    const lock = sha256(readFileSync(join(place, "package-lock.json")));
    const provenance = `${tarball}.provenance.json`;
    const at = git("show", "-s", "--format=%cI", commit);
    writeFileSync(provenance, `${signPayload(statement({ name, digest, commit, lock, at }), sealKey(home))}\n`);
    return { tarball, sha256: digest, provenance };
  } finally {
    process.umask(umask);
    rmSync(place, { recursive: true, force: true });
  }
}

function readManifest(file: string): Record<string, unknown> {
  const manifest: unknown = parseJson(readFileSync(file, "utf8"));
  if (isRecord(manifest)) return manifest;
  throw new Error(`${file} is not an object`);
}

interface Made {
  readonly name: string;
  readonly digest: string;
  readonly commit: string;
  /** The hash of package-lock.json. */
  readonly lock: string;
  /** When the commit was made. */
  readonly at: string;
}

/** An in-toto statement with SLSA provenance. It has no time of its own, so that it too is the same every time. */
const statement = ({ name, digest, commit, lock, at }: Made) => ({
  _type: "https://in-toto.io/Statement/v1",
  subject: [{ name, digest: { sha256: digest } }],
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "urn:signalbox:npm-pack:v1",
      externalParameters: { commit },
      internalParameters: { node: process.version, committed: at },
      resolvedDependencies: [
        { uri: "git+signalbox", digest: { gitCommit: commit } },
        { uri: "package-lock.json", digest: { sha256: lock } },
      ],
    },
    runDetails: { builder: { id: "urn:signalbox:scripts/pack-release.ts" } },
  },
});

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  const { tarball, sha256: digest, provenance } = packRelease(root, resolve(process.argv[2] ?? "."), signalboxHome());
  process.stdout.write(`${digest}  ${tarball}\n${provenance}\n`);
}
