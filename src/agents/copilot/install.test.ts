import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { findPack } from "../packs.ts";

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
