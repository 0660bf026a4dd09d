import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { NamedProject } from "./named-projects.ts";
import { runOutside } from "./run-outside.ts";

export interface Source {
  /** The unpacked project; copied for each run. */
  readonly folder: string;
  readonly version: string;
}

/** Downloads and unpacks the sources of a project below `folder`. */
export function fetchSource({ name, origin }: NamedProject, folder: string): Source {
  const place = join(folder, "sources", name);
  mkdirSync(place, { recursive: true });
  switch (origin.from) {
    case "npm":
      return fromNpm(origin.package, place);
    case "debian source":
      return fromDebianSource(origin.package, { place, apt: join(folder, "apt") });
    case "debian package":
      return fromDebianPackage(origin, place);
  }
}

/** A repository of its own with one run's copy of the project, not yet committed. */
export function makeWorkspace(source: Source, project: NamedProject, folder: string): string {
  const workspace = join(mkdtempSync(join(folder, "run-")), project.name);
  cpSync(source.folder, workspace, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  appendFileSync(join(workspace, ".gitignore"), project.ignored.map((line) => `${line}\n`).join(""));
  runOutside("git", ["init", "-q", "-b", "main"], { cwd: workspace });
  for (const [key, value] of Object.entries({ "user.name": "Projects", "user.email": "projects@example.invalid" }))
    runOutside("git", ["config", key, value], { cwd: workspace });
  return workspace;
}

function fromNpm(specifier: string, place: string): Source {
  runOutside("npm", ["pack", "--silent", specifier], { cwd: place });
  runOutside("tar", ["xzf", onlyFile(place, ".tgz")], { cwd: place });
  return { folder: join(place, "package"), version: specifier.slice(specifier.lastIndexOf("@") + 1) };
}

function fromDebianSource(name: string, { place, apt }: { readonly place: string; readonly apt: string }): Source {
  const env = { APT_CONFIG: join(apt, "apt.conf") };
  if (!existsSync(apt)) {
    configureApt(apt);
    runOutside("apt-get", ["update", "-qq"], { cwd: apt, env });
  }
  runOutside("apt-get", ["source", "-qq", "--download-only", name], { cwd: place, env });
  const description = onlyFile(place, ".dsc");
  runOutside("dpkg-source", ["--no-check", "-x", description, "unpacked"], { cwd: place });
  const version = description.slice(description.indexOf("_") + 1, -".dsc".length);
  rmSync(join(place, "unpacked/.pc"), { recursive: true, force: true });
  return { folder: join(place, "unpacked"), version };
}

/** The machine's own Debian mirrors as places of sources, for these calls only: nothing of the machine is changed. */
function configureApt(apt: string): void {
  for (const part of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(apt, part), { recursive: true });
  const format = "deb-src $(SITE) $(CODENAME) $(COMPONENT)";
  const filters = ["Created-By: Packages", "Origin: Debian"];
  const mirrors = runOutside("apt-get", ["indextargets", "--format", format, ...filters], { cwd: apt });
  writeFileSync(join(apt, "sources.list"), mirrors);
  const settings = {
    "Dir::Etc::sourcelist": join(apt, "sources.list"),
    "Dir::Etc::sourceparts": "-",
    "Dir::State::lists": join(apt, "lists"),
    "Dir::Cache": join(apt, "cache"),
    // Its own user could not write to a private folder.
    "APT::Sandbox::User": userInfo().username,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key} "${value}";\n`);
  writeFileSync(join(apt, "apt.conf"), lines.join(""));
}

function fromDebianPackage(origin: { readonly package: string; readonly folder: string }, place: string): Source {
  runOutside("apt-get", ["download", "-qq", origin.package], { cwd: place });
  const file = onlyFile(place, ".deb");
  runOutside("dpkg-deb", ["-x", file, "unpacked"], { cwd: place });
  const folder = join(place, "unpacked", origin.folder);
  const [unpacked = ""] = readdirSync(folder);
  // With this file cargo takes the folder for a vendored crate.
  rmSync(join(folder, unpacked, ".cargo-checksum.json"), { force: true });
  return { folder: join(folder, unpacked), version: file.split("_")[1] ?? "" };
}

function onlyFile(folder: string, suffix: string): string {
  const [name] = readdirSync(folder).filter((file) => file.endsWith(suffix));
  if (name === undefined) throw new Error(`nothing was downloaded to ${folder}`);
  return name;
}
