import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recipeScene } from "../../../test/support/recipe-scene.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { createJournal, readJournal } from "./journal.ts";

const recipe = (steps: string) => `name: r\nsteps:\n${steps}`;

test("what the steps changed is staged, and nothing that was there before", async () => {
  const { run, workspace } = recipeScene({
    r: recipe(`
  - { id: make, command: "echo new > made; echo more >> mine; mkdir -p sub; echo x > 'sub/a b'; rm gone loose" }
  - { id: early, prompt: "early" }
  - { id: revert, command: "git checkout -q HEAD -- reverted" }
  - { id: work, prompt: "work" }
  - { id: look, prompt: "look", auto_stage: false }
`),
  });
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: workspace, encoding: "utf8" });
  const write = (path: string, text: string) => writeFileSync(join(workspace, path), text);
  git("init", "-q");
  for (const name of ["mine", "gone", "other", "edited", "reverted"]) write(name, "old\n");
  git("add", "mine", "gone", "other", "edited", "reverted", "recipes");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "start");
  for (const name of ["edited", "log", "loose", "*"]) write(name, "earlier\n");
  const folder = tempFolder();
  const journal = createJournal(folder, {
    run_id: "x",
    recipe: "r",
    word: "r",
    started_at: "",
    files: [],
    context: {},
    working_dir: workspace,
    agent: null,
  });
  const answer = ({ step }: { readonly step: string }) => (
    write({ work: "other", early: "reverted" }[step] ?? "late", "agent\n"),
    ""
  );
  const { statuses, events } = await run("r", { journal, answer, options: { autoStage: true } });
  expect([statuses, events.filter(({ type }) => type === "warning")]).toEqual([
    { make: "completed", early: "completed", revert: "completed", work: "completed", look: "completed" },
    [],
  ]);
  expect(git("status", "--porcelain", "-z").split("\0").filter(Boolean).toSorted()).toEqual([
    " M edited",
    "?? *",
    "?? late",
    "?? log",
    "A  made",
    "A  sub/a b",
    "D  gone",
    "M  mine",
    "M  other",
  ]);
  const { lines } = readJournal(folder);
  expect(lines.map((line) => line.t).filter((kind) => kind === "tree")).toEqual(["tree", "tree", "tree"]);
});
