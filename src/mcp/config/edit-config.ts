import { applyEdits, modify } from "jsonc-parser";
import { dirname } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { readIfThere } from "../../lib/read-if-there.ts";
import { UserError } from "../../lib/user-error.ts";
import { readConfig } from "./read-config.ts";

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" } };

/**
 * Sets one server in a configuration file, or removes it where `entry` is undefined. Comments and everything else stay,
 * but lines may be broken differently.
 */
export function editConfig(file: string, name: string, entry: object | undefined): void {
  const text = configText(file);
  const edited = applyEdits(text, modify(text, ["mcpServers", name], entry, FORMAT));
  makeFolder(dirname(file));
  atomicWrite(file, edited.endsWith("\n") ? edited : `${edited}\n`, 0o600);
}

/** The names in a configuration file. A broken file throws a UserError, because it must not be overwritten. */
export function namesIn(file: string): readonly string[] {
  const { servers, problems } = readConfig(configText(file), { file, environment: process.env });
  const [broken] = problems.filter(({ name }) => name === undefined);
  if (broken !== undefined)
    throw new UserError("the file cannot be changed, because it is broken", {
      where: broken.because,
      fix: "fix it by hand",
    });
  return [...servers, ...problems].flatMap(({ name }) => name ?? []);
}

function configText(file: string): string {
  const text = readIfThere(file)?.toString("utf8") ?? "";
  return text.trim() === "" ? '{\n  "mcpServers": {}\n}\n' : text;
}
