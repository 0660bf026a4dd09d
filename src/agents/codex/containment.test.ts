import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { codexContainedStart, isUnsandboxed } from "./install.ts";

interface Scene {
  readonly flags?: readonly string[];
  readonly config?: string;
  readonly requirements?: string;
  readonly canEnter?: boolean;
  /** The folder for temporary files, below the scene's. */
  readonly temporary?: string;
}

function plan({ flags = [], config = "", requirements, canEnter = true, temporary = "tmp" }: Scene) {
  const root = tempFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("home/.codex/config.toml", config);
  if (requirements !== undefined) write("etc/codex/requirements.toml", requirements);
  const env = { HOME: join(root, "home"), TMPDIR: join(root, temporary) };
  const start = codexContainedStart({ flags, env, cwd: root, workspace: root, interactive: false, canEnter }, root);
  return start.by === "signalbox" ? [start.flags.join(" "), start.needsHooks === true] : start.by;
}

const OURS = "-s workspace-write -c sandbox_workspace_write.network_access=true";

test.each<readonly [string, Scene, unknown]>([
  ["without a choice, a writing sandbox with network", {}, [OURS, false]],
  ["after a sub-command", { flags: ["exec", "--json", "--", "-s", "x"] }, [`exec ${OURS} --json -- -s x`, false]],
  ["workspace-write by flag", { flags: ["exec", "-s", "workspace-write", "go"] }, [`exec ${OURS} go`, false]],
  ["the same in one word", { flags: ["--sandbox=workspace-write"] }, [OURS, false]],
  ["workspace-write by setting", { config: 'sandbox_mode = "workspace-write"' }, [OURS, false]],
  ["read-only by flag", { flags: ["-s", "read-only"] }, "agent"],
  ["read-only by its short flag", { flags: ["-sread-only"] }, "agent"],
  ["read-only by setting", { config: 'sandbox_mode = "read-only"' }, "agent"],
  ["read-only by a profile", { flags: ["-p", "x"], config: '[profiles.x]\nsandbox_mode = "read-only"' }, "agent"],
  ["read-only by an override", { flags: ["-c", 'sandbox_mode="read-only"'] }, "agent"],
  ["a read-only permission profile", { config: 'default_permissions = ":read-only"' }, "agent"],
  [
    "a flag over the setting",
    { flags: ["-s", "workspace-write"], config: 'sandbox_mode = "read-only"' },
    [OURS, false],
  ],
  ["a network switched off", { config: "[sandbox_workspace_write]\nnetwork_access = false" }, "agent"],
  ["a network switched off by flag", { flags: ["-c", "sandbox_workspace_write.network_access=false"] }, "agent"],
  [
    "a home in the folder for temporary files, where Codex's sandbox starts nothing",
    { temporary: "home" },
    ["-s danger-full-access", true],
  ],
  ["full access by flag", { flags: ["-s", "danger-full-access"] }, ["-s danger-full-access", true]],
  ["the bypass", { flags: ["exec", "--yolo"] }, ["exec --yolo", true]],
  ["a permission profile of the user's", { config: 'default_permissions = "mine"' }, "nobody"],
  ["a mode that we do not know", { flags: ["-s", "new-mode"] }, "nobody"],
  ["an administrator's limit", { requirements: 'allowed_sandbox_modes = ["read-only"]' }, "agent"],
  ["a sandbox that cannot be entered", { canEnter: false }, ["-s danger-full-access", true]],
  [
    "a sandbox that cannot be entered, and workspace-write by flag",
    { flags: ["exec", "--sandbox", "workspace-write"], canEnter: false },
    ["exec -s danger-full-access", true],
  ],
  [
    "a sandbox that cannot be entered, and an administrator who wants Codex's own",
    { canEnter: false, requirements: 'allowed_sandbox_modes = ["read-only", "workspace-write"]' },
    "agent",
  ],
  ["a command without tools", { flags: ["login"] }, ["login", false]],
])("%s", (_, scene, expected) => expect(plan(scene)).toEqual(expected));

test("flags that switch Codex's own sandbox off are known", () => {
  expect([["-s", "danger-full-access"], ["--yolo"], ["-s", "read-only"], ["--", "--yolo"]].map(isUnsandboxed)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
