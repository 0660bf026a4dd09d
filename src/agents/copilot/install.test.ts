import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { findPack } from "../packs.ts";
import { copilotHooks } from "./hooks.ts";
import { leadingText } from "./leading-text.ts";

/** Starts Copilot with an agent of the repository that has these fields. */
async function start(fields: string) {
  const [workspace, root] = [tempRepository(), tempFolder()];
  mkdirSync(join(workspace, ".github/agents"), { recursive: true });
  writeFileSync(
    join(workspace, ".github/agents/part.md"),
    `---\nname: part\ndescription: A part.\n${fields}---\nWork.\n`,
  );
  const install = await findPack("copilot")?.install?.();
  return await install?.install({
    folder: root,
    cwd: workspace,
    workspace,
    contained: false,
    given: undefined,
    flags: ["--agent", "part"],
    env: { HOME: root, PATH: "/usr/bin" },
    home: join(root, "signalbox"),
    wrapper: join(root, "hook"),
    binary: "/bin/copilot",
    interactive: false,
    warn: () => {},
    trusts: () => false,
    trusted: [],
    staged: () => false,
    mayRead: () => true,
  });
}

test("an agent that the person names is refused while it can start programs and is not trusted", async () => {
  await expect(start("mcp-servers:\n  x: { type: local, command: evil }\n")).rejects.toMatchObject({
    message: expect.stringMatching(/part\.md can start programs and is not trusted$/),
    where: "--agent",
    exitCode: 3,
  });
  expect((await start(""))?.flags).toEqual(expect.arrayContaining(["--agent", "part"]));
});

test("a link in the place of an instruction file is refused, unless it leads to a text of the repository", () => {
  const workspace = tempFolder();
  const secret = join(tempFolder(), "secret.md");
  for (const file of [secret, join(workspace, ".env"), join(workspace, "text.md")]) writeFileSync(file, "");
  for (const folder of ["a", "b", "c/.github/instructions", "d"])
    mkdirSync(join(workspace, folder), { recursive: true });
  symlinkSync(secret, join(workspace, "a/AGENTS.md"));
  symlinkSync("../.env", join(workspace, "b/CLAUDE.md"));
  symlinkSync("../../../.env", join(workspace, "c/.github/instructions/x.instructions.md"));
  symlinkSync("../text.md", join(workspace, "d/AGENTS.md"));
  symlinkSync("nowhere", join(workspace, "AGENTS.md"));
  const told = ["a", "b", "c", "d", "."].map((name) => leadingText([join(workspace, name)], workspace));
  expect(told).toEqual([
    join(workspace, "a/AGENTS.md"),
    join(workspace, "b/CLAUDE.md"),
    join(workspace, "c/.github/instructions/x.instructions.md"),
    undefined,
    undefined,
  ]);
  const event = { type: "tool-before", session: "s", tool: "view", input: { path: "b/file" }, cwd: workspace } as const;
  writeFileSync(join(workspace, "b/file"), "");
  const facts = { switches: [], trustedAgents: { folders: [workspace], files: [] } };
  expect(copilotHooks.refusal?.(event, facts, () => [])).toContain("b/CLAUDE.md is a link");
  expect(copilotHooks.refusal?.({ ...event, input: { path: "text.md" } }, facts, () => [])).toBe(undefined);
});
