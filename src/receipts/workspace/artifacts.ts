import { chmodSync, closeSync, constants, lstatSync, openSync, realpathSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { AgentEvent } from "../../contract/agent-event.ts";
import type { ArtifactRef } from "../../contract/receipt.ts";
import { redactJson, type RedactOptions } from "../../guard/redact.ts";
import { isInside } from "../../lib/path/inside.ts";
import { isFile } from "../../lib/path/find-program.ts";
import { type OpenFolder, openFolder } from "../../lib/files/open-folder.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { messageOf } from "../../lib/text/user-error.ts";

/** The folder for run artifacts, inside the user's workspace. */
export const ARTIFACTS_FOLDER = ".agent-backplane";

export interface Artifact extends ArtifactRef {
  readonly size: number;
  readonly sha256: string;
}

/** The artifacts of one run. Names cannot escape its folder, and links are not followed. */
export interface ArtifactStore {
  write(kind: string, name: string, content: string | Buffer): Artifact;
  readonly written: readonly Artifact[];
}

/** Opens a run's store under `root`. The folder is created with the first artifact. */
export function openArtifacts(
  root: string,
  runId: string,
  onWritten: (artifact: Artifact) => void = () => {},
): ArtifactStore {
  if (!/^[\w-]{1,64}$/.test(runId)) throw new Error("not a run id");
  const written: Artifact[] = [];
  return {
    written,
    write(kind, name, content) {
      using folder = openRunFolder(root, ["artifacts", runId]);
      const file = freeName(folder, name, written.length + 1);
      const bytes = Buffer.from(content);
      writeNew(folder.at(file), bytes);
      const path = [ARTIFACTS_FOLDER, "artifacts", runId, file].join("/");
      const artifact = { kind, path, size: bytes.length, sha256: sha256(bytes) };
      written.push(artifact);
      onWritten(artifact);
      return artifact;
    },
  };
}

/** Opens the folders one by one, and stays in them: a command may put a link in the place of one at any time. */
function openRunFolder(root: string, names: readonly string[]): OpenFolder {
  using top = openFolder(root, [ARTIFACTS_FOLDER], true);
  const folder = openFolder(root, [ARTIFACTS_FOLDER, ...names], true);
  if (top === undefined || folder === undefined) throw new Error(`${ARTIFACTS_FOLDER} cannot be made`);
  chmodSync(top.at("."), 0o700);
  const ignore = top.at(".gitignore");
  if (lstatSync(ignore, { throwIfNoEntry: false }) === undefined) writeNew(ignore, Buffer.from("*\n"));
  return folder;
}

/** A safe file name that is not in use yet. */
function freeName(folder: OpenFolder, name: string, count: number): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 64);
  const file = `${String(count).padStart(4, "0")}-${plain === "" ? "artifact" : plain}`;
  return lstatSync(folder.at(file), { throwIfNoEntry: false }) === undefined ? file : freeName(folder, name, count + 1);
}

function writeNew(path: string, bytes: Buffer): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    writeFileSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 100;

/**
 * Stores the files that a host reported, with hashes we compute. Returns the paths that are outside `root` or
 * unreadable.
 */
export function takeArtifacts(refs: readonly ArtifactRef[], root: string, store: ArtifactStore): string[] {
  return refs.flatMap(({ kind, path }, index) => {
    const full = resolve(root, path);
    const there = isFile(full);
    if (index >= MAX_FILES || !there || !isInside(realpathSync(full), realpathSync(root))) return [path];
    try {
      store.write(kind.slice(0, 100), basename(path), readBounded(full, MAX_BYTES).bytes);
      return [];
    } catch {
      return [path];
    }
  });
}

/** Larger outputs are stored as artifacts. */
const MAX_INLINE = 8192;
/** Larger tasks too. */
const MAX_TASK = 32_768;
const SHOWN_OF_TASK = 200;

/** An event in the form the receipt stores: secrets redacted, large output moved to an artifact. */
export function keepableEvent(event: AgentEvent, secrets: RedactOptions, artifacts: ArtifactStore): AgentEvent {
  const clean = AgentEvent.parse(redactJson(event, secrets));
  if (clean.type === "run_started" && Buffer.byteLength(clean.message) > MAX_TASK) {
    const { shown, ext } = putAside(clean.message, "task", artifacts);
    const message = `${clean.message.slice(0, SHOWN_OF_TASK)}… (all of it: ${shown})`;
    return { ...clean, message, ext: { ...clean.ext, ...ext } };
  }
  if (clean.type === "tool_result") {
    const text = typeof clean.output === "string" ? clean.output : JSON.stringify(clean.output);
    if (Buffer.byteLength(text) <= MAX_INLINE) return clean;
    const { shown, ext } = putAside(text, clean.tool_name, artifacts);
    return { ...clean, output: shown, ext: { ...clean.ext, ...ext } };
  }
  if (clean.type === "command_executed" && Buffer.byteLength(clean.output_preview ?? "") > MAX_INLINE) {
    const { shown, ext } = putAside(clean.output_preview ?? "", "command", artifacts);
    return { ...clean, output_preview: shown, ext: { ...clean.ext, ...ext } };
  }
  return clean;
}

/** What replaces an output: the artifact's path, or the start of the output if no file could be written. */
function putAside(text: string, name: string, artifacts: ArtifactStore) {
  try {
    const artifact = artifacts.write("tool_output", `${name}.txt`, text);
    return { shown: artifact.path, ext: { artifact } };
  } catch (error) {
    const why = messageOf(error);
    return { shown: text.slice(0, MAX_INLINE / 4), ext: { output_cut: `${Buffer.byteLength(text)} bytes; ${why}` } };
  }
}
