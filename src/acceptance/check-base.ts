import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { atomicWrite } from "../lib/atomic-write.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { parseJson } from "../lib/parse-json.ts";
import { readIfThere } from "../lib/read-if-there.ts";
import { DecidingState } from "./file-state.ts";

const BASE_FORMAT = 1;

/** What decides a check, as it was when the work began. Kept with a session, so that a resumed one compares with it. */
export const CheckBase = z.object({
  version: z.literal(BASE_FORMAT),
  root: z.string(),
  commands: z.array(z.string()),
  /** Patterns of files that the user wants kept. */
  keep: z.array(z.string()),
  scripts: z.array(z.string()),
  programs: z.array(z.string()),
  manifestScripts: z.array(z.string()),
  modules: z.array(z.string()),
  files: z.record(z.string(), DecidingState),
  /** Folders with dependencies, and those of their files that count. */
  dependencies: z.array(z.string()),
  dependencyFiles: z.record(z.string(), DecidingState),
  /** PATH of the check. */
  path: z.string(),
  /** Programs outside the workspace that the check starts, as they were. */
  outside: z.record(z.string(), z.string()),
  /** Why nothing can be compared. */
  unknown: z.string().nullable(),
});
export type CheckBase = z.infer<typeof CheckBase>;

/** A base with the folder that has the contents. */
export interface KeptBase {
  readonly base: CheckBase;
  readonly folder: string;
  /** What the user should know, such as a pattern that matches nothing. */
  readonly warnings: readonly string[];
}

const recordFile = (folder: string) => join(folder, "base.json");
const contentFile = (folder: string, sha256: string) => join(folder, "contents", sha256);

export function saveBase(folder: string, base: CheckBase): void {
  atomicWrite(recordFile(folder), `${JSON.stringify(base)}\n`);
}

/** The base that was saved in a folder; undefined if there is none. One that cannot be read accepts no check. */
export function savedBase(folder: string): CheckBase | undefined {
  const text = readIfThere(recordFile(folder))?.toString("utf8");
  if (text === undefined) return undefined;
  try {
    return CheckBase.parse(parseJson(text));
  } catch {
    return unknownBase({ root: "/", commands: [], keep: [] }, "its record cannot be read");
  }
}

type NamedCheck = { readonly [Key in "commands" | "keep"]: readonly string[] } & Pick<CheckBase, "root">;

/** A base with which nothing can be compared. */
export const unknownBase = ({ root, commands, keep }: NamedCheck, because: string): CheckBase => ({
  version: BASE_FORMAT,
  root,
  commands: [...commands],
  keep: [...keep],
  scripts: [],
  programs: [],
  manifestScripts: [],
  modules: [],
  files: {},
  dependencies: [],
  dependencyFiles: {},
  path: "",
  outside: {},
  unknown: because,
});

export function openContents(folder: string): void {
  makeFolder(join(folder, "contents"));
}

export function keepContent(folder: string, sha256: string, content: Buffer): void {
  writeFileSync(contentFile(folder, sha256), content, { mode: 0o600 });
}

export const keptContent = (folder: string, sha256: string): Buffer => readFileSync(contentFile(folder, sha256));
