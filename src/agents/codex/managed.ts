import type { ManagedSwitch } from "../../contract/agent-install.ts";
import { findManaged } from "../install/refuse.ts";

/** The feature of Codex switched off, under either of its names: in a table, as a dotted key, or in an inline table. */
export const CODEX_HOOKS_OFF = /^[^#\n]*(?<![\w-])(?:codex_)?hooks["']?\s*=\s*false\b/m;

const FILES = ["requirements.toml", "managed_config.toml"].flatMap((name) =>
  [/^\s*["']?allow_managed_hooks_only["']?\s*=\s*true/m, CODEX_HOOKS_OFF].map((off) => ({
    path: `/etc/codex/${name}`,
    off,
  })),
);

export const codexManaged = (root: string): ManagedSwitch | undefined => findManaged(FILES, root);
