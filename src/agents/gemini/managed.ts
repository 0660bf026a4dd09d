import type { ManagedSwitch } from "../../contract/agent-install.ts";
import { findManaged } from "../install/refuse.ts";
import { SYSTEM_FOLDERS } from "./settings.ts";

/** Hooks switched off; or every folder trusted, so that a repository's settings could switch them off. */
const OFF = /"(?:hooksConfig|folderTrust)"\s*:\s*\{[^{}]*"enabled"\s*:\s*false/;

const FILES = SYSTEM_FOLDERS.map((folder) => `${folder}/settings.json`);

/** The administrator's settings override the user's, and so ours. */
export const geminiManaged = (root: string, files = FILES): ManagedSwitch | undefined =>
  findManaged(
    files.map((path) => ({ path, off: OFF })),
    root,
  );
