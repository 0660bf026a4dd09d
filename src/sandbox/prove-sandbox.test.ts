import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { hasSandbox } from "../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import type { Policy } from "../contract/policy.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { helperProgram } from "../lib/path/package-folder.ts";
import { findBubblewrap, proveSandbox } from "./prove-sandbox.ts";
import { hostSockets } from "./session/session-plan.ts";
import { systemCallFilter } from "./linux/system-call-filter.ts";
import { toolFolders } from "./session/mounts.ts";

describe.skipIf(process.platform !== "linux")("the proof of the sandbox", () => {
  const prove = async (find: (folder: string) => string | undefined) => {
    const folder = tempFolder();
    const policy: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: folder, home: folder, sandbox: "workspace" };
    const program = find(folder);
    const { containment } = await proveSandbox(policy, {
      signalboxHome: join(folder, "s"),
      findBubblewrap: () => program,
    });
    return containment.contained ? "contained" : containment.because.replaceAll(folder, "FOLDER");
  };
  const standIn =
    (script: string, mode = 0o755) =>
    (folder: string) => {
      const file = join(folder, "bwrap");
      writeFileSync(file, `#!/bin/sh\n${script}\n`);
      chmodSync(file, mode);
      return file;
    };

  test.each([
    ["missing", () => undefined, "bubblewrap (bwrap) is not installed"],
    ["too old", standIn("echo bubblewrap 0.4.1"), "bubblewrap is too old (0.4, needs 0.5)"],
    ["set-uid", standIn("echo bubblewrap 0.8.0", 0o4755), "FOLDER/bwrap is set-uid root, which signalbox does not use"],
    [
      "without user namespaces",
      standIn('[ "$1" = --version ] || { echo "bwrap: No permissions to create new namespace" >&2; exit 1; }'),
      expect.stringContaining("(bwrap: No permissions to create new namespace)"),
    ],
    [
      "one that only claims to be bubblewrap",
      standIn('[ "$1" = --version ] || { while [ "$1" != -- ]; do shift; done; shift; exec "$@"; }'),
      expect.stringMatching(/does not start on this machine|this container/),
    ],
  ] as const)("bubblewrap %s", async (_, find, because) => {
    expect(await prove(find)).toEqual(because);
  });

  test.skipIf(!hasSandbox)("bubblewrap that does not do all that it is told", async () => {
    const real = findBubblewrap("/nowhere") ?? "";
    const leaky = (edit: string) =>
      standIn(
        `[ "$1" = --version ] && exec ${real} --version\nexec bash -c 'exec ${real} --args 9 "\${@:3}" 9< <(sed -z "${edit}" <&4)' bash "$@"`,
      );
    expect([await prove(leaky("/^--unshare-net$/d")), await prove(leaky("s/^--ro-bind$/--bind/"))]).toEqual([
      "FOLDER/bwrap does not isolate commands: the test reached network",
      "FOLDER/bwrap does not mount / as it was told",
    ]);
  });

  test.skipIf(!hasSandbox)(
    "is made again for another helper, and a helper that does nothing does not pass it",
    async () => {
      const folder = tempFolder();
      const policy: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: folder, home: folder, sandbox: "workspace" };
      const parts = { signalboxHome: join(folder, "s") };
      const [usual, broken] = [helperProgram(), standIn("exit 1")(folder)];
      const held = async (helper: string | undefined) =>
        (await proveSandbox(policy, { ...parts, findHelper: () => helper })).containment.contained;
      expect([await held(usual), await held(broken), await held(usual)]).toEqual([true, false, true]);
    },
  );

  test.skipIf(!hasSandbox)("is also made where SIGNALBOX_HOME puts the folder in which it is tried", async () => {
    const folder = tempFolder();
    vi.stubEnv("SIGNALBOX_HOME", join(folder, "elsewhere"));
    const policy: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: folder, home: folder, sandbox: "workspace" };
    const { containment } = await proveSandbox(policy, { signalboxHome: join(folder, "elsewhere") });
    vi.unstubAllEnvs();
    expect(containment).toMatchObject({ contained: true });
  });

  test.skipIf(!hasSandbox)("is made once for a machine and a level, whatever the workspace and the rules", async () => {
    const folder = tempFolder();
    const policy: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: folder, home: folder, sandbox: "workspace" };
    const parts = { signalboxHome: join(folder, "s") };
    const first = await proveSandbox(policy, parts);
    expect(first.containment).toEqual({
      contained: true,
      form: "bubblewrap",
      by: "bubblewrap",
      held: ["disk", "secrets", "network", "processes"],
      provenAt: expect.any(String),
    });
    const other: Policy = { ...policy, ...PRESETS.default, workspaceRoot: tempFolder(), home: tempFolder() };
    expect([
      await proveSandbox(policy, parts),
      await proveSandbox(other, parts),
      (await proveSandbox({ ...policy, sandbox: "strict" }, parts)).containment.contained,
    ]).toEqual([first, first, true]);
    const file = join(parts.signalboxHome, "sandbox-proof.json");
    expect(Object.keys(z.record(z.string(), z.unknown()).parse(parseJson(readFileSync(file, "utf8"))))).toHaveLength(2);
    writeFileSync(file, "{broken");
    expect((await proveSandbox(policy, parts)).containment.contained).toBe(true);
  });
});

test("the filter knows two processors, and fits what bubblewrap reads", () => {
  expect(["x64", "arm64"].map((name) => (systemCallFilter(name)?.length ?? 1) % 8)).toEqual([0, 0]);
  expect(systemCallFilter("mips")).toBe(undefined);
});

test("sockets are read from the kernel's table, whatever their names", () => {
  const table =
    "Num RefCount Protocol Flags Type St Inode Path\n0000: 00000002 00000000 00010000 0001 01 1 /no/such socket\n0000: 00000002 00000000 00010000 0001 01 2 @abstract\n";
  expect(hostSockets(() => false, table)).toEqual([]);
});

test("tool folders are those of the table and of PATH, the outermost only", () => {
  const home = tempFolder();
  expect(toolFolders(home, `${home}:/usr/bin`)).toEqual([]);
});
