import { cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { randomId } from "../../lib/random-id.ts";
import { folderNames } from "../../lib/folder-names.ts";

/** The folders with extensions, of a launch and of the user. */
interface ExtensionFolders {
  readonly shared: string;
  readonly own: string;
}

/** Puts an extension of ours beside links to the user's own. Returns its name. */
export function addExtension({ shared, own }: ExtensionFolders, files: Readonly<Record<string, string>>): string {
  const names = folderNames(own);
  // Gemini does not start with two extensions of one name.
  const name = names.includes("signalbox") ? `signalbox-${randomId()}` : "signalbox";
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  for (const other of names) symlinkSync(join(own, other), join(shared, other));
  const described = { ...files, "gemini-extension.json": JSON.stringify({ name, version: "1.0.0" }) };
  for (const [path, text] of Object.entries(described)) {
    const file = join(shared, name, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  }
  return name;
}

/** Moves what was installed or updated during the session to the user's own. */
export function keepExtensions({ shared, own }: ExtensionFolders, ours: string): void {
  for (const name of folderNames(shared)) {
    if (name === ours || lstatSync(join(shared, name)).isSymbolicLink()) continue;
    const temporary = join(own, `.${name}.signalbox`);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    cpSync(join(shared, name), temporary, { recursive: true });
    if (existsSync(join(own, name))) rmSync(join(own, name), { recursive: true });
    renameSync(temporary, join(own, name));
  }
}
