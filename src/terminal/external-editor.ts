import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { splitWords } from "../lib/text/shell-words.ts";
import { messageOf } from "../lib/text/user-error.ts";

/** Lets the person change a text in `$VISUAL` or `$EDITOR`, which has the terminal meanwhile. */
export function editOutside(
  text: string,
  environment: NodeJS.ProcessEnv,
): { readonly text: string } | { readonly because: string } {
  const named = [environment["VISUAL"], environment["EDITOR"]].find((name) => name !== undefined && name.trim() !== "");
  const [program, ...words] = splitWords(named ?? "vi") ?? [];
  if (program === undefined) return { because: `$EDITOR cannot be read: ${named}` };
  const folder = mkdtempSync(join(tmpdir(), "signalbox-prompt-"));
  const file = join(folder, "prompt.md");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const { status, error } = spawnSync(program, [...words, file], { stdio: "inherit" });
    if (error !== undefined) return { because: `${program} cannot be started: ${messageOf(error)}` };
    if (status !== 0) return { because: `${program} failed, and the text stays as it was` };
    return { text: readFileSync(file, "utf8").trimEnd() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
