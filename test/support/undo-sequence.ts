import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { planRedo, planUndo, turnChanges } from "../../src/snapshots/plan-undo.ts";
import { USUAL_SNAPSHOT_LIMITS } from "../../src/snapshots/take-snapshot.ts";
import { openTurnSnapshots } from "../../src/snapshots/turn-snapshots.ts";
import { savedTurns } from "../../src/snapshots/turn-states.ts";
import { prepareMoves, readMoves, revertMoves } from "../../src/snapshots/undo-files.ts";
import { everything, git, repositoryWith, writeFiles } from "./git-repository.ts";
import { randomEdit, treeState } from "./random-edits.ts";
import { type Dice, dice } from "./random-session.ts";
import { tempFolder } from "./temp-folder.ts";

/** A busy machine must not fail these tests. */
const PATIENT = { ...USUAL_SNAPSHOT_LIMITS, milliseconds: 60_000 };

export const SESSION = "20260101-000000-0123abcd";

/** The turn snapshots of one start of a session. */
export function openTurns(workspace: string, home: string) {
  const told: string[] = [];
  const turns = openTurnSnapshots({
    home,
    id: SESSION,
    agent: "test",
    workspace,
    limits: PATIENT,
    onTurn: (turn, saved) => void told.push("id" in saved ? turn : `${turn}: ${saved.because}`),
    warn: (text) => void told.push(text),
  });
  return { turns, told };
}

/** Takes back all turns from this one on, as `sessions undo` does with the files. */
export async function undoFiles(home: string, workspace: string, { from = "", force = false, undo = "u1" } = {}) {
  const all = savedTurns(home, SESSION);
  const first = Math.max(
    0,
    all.findIndex(({ state }) => state.turn === from),
  );
  const changes = [];
  for (const saved of all.slice(first)) changes.push(await turnChanges(saved));
  const plan = await planUndo(workspace, changes, { force });
  const place = { home, workspace, folder: all.at(-1)?.id ?? "", undo };
  const report = await (await prepareMoves(plan.moves, place)).carryOut();
  return { ...report, kept: [...plan.kept, ...report.kept] };
}

/** Takes an undo back. */
export async function redoFiles(home: string, workspace: string, undo = "u1") {
  const place = { home, workspace, folder: savedTurns(home, SESSION).at(-1)?.id ?? "", undo };
  const plan = planRedo(workspace, readMoves(place) ?? []);
  const report = await revertMoves(plan.moves, place);
  return { ...report, kept: [...plan.kept, ...report.kept] };
}

function randomWorkspace(die: Dice): string {
  if (die.chance(0.2)) {
    const root = tempFolder();
    writeFiles(root, { "a.txt": "a\n", "folder0/b": "b\n", ".gitignore": "*.log\n", "x.log": "ignored\n" });
    return root;
  }
  const root = repositoryWith({
    "a.txt": "a\n",
    "folder0/b.txt": "b\r\n",
    "folder0/deep/run.sh": "#!/bin/sh\n",
    "folder1/c": "c\n",
    ".gitignore": "*.log\n",
    ...(die.chance(0.3) ? { ".gitattributes": "*.txt text eol=lf\n" } : {}),
  });
  writeFiles(root, { "x.log": "ignored\n", "untracked.txt": "u\n", "staged.txt": "s\n" });
  git(root, "add", "staged.txt");
  chmodSync(join(root, "folder0/deep/run.sh"), 0o755);
  if (die.chance(0.5)) chmodSync(join(root, "folder1/c"), 0o600);
  symlinkSync("a.txt", join(root, "link"));
  if (die.chance(0.3)) writeFiles(root, { "a.txt": "stashed\n" });
  if (die.chance(0.3)) git(root, "stash");
  if (die.chance(0.3)) {
    mkdirSync(join(root, "inner"));
    git(join(root, "inner"), "init", "-q");
    writeFiles(root, { "inner/i.txt": "i\n" });
    git(join(root, "inner"), "add", "-A");
    git(join(root, "inner"), "commit", "-qm", "inner");
  }
  return root;
}

const isLog = (path: string) => path.endsWith(".log");
const isOthers = (path: string) => isLog(path) || path.startsWith("mine");

/** What was different from what it should have been; empty if all was right. */
export async function undoSequence(seed: number): Promise<readonly unknown[]> {
  const die = dice(seed);
  const root = randomWorkspace(die);
  const home = tempFolder();
  const wrong: unknown[] = [];
  const expectSame = (what: string, one: object, other: object) => {
    if (JSON.stringify(one) !== JSON.stringify(other)) wrong.push({ seed, what, one, other });
  };
  const before: object[] = [];
  const count = 1 + die.below(4);
  const starts = die.chance(0.3) ? 2 : 1;
  for (let start = 0; start < starts; start++) {
    const { turns, told } = openTurns(root, home);
    for (let turn = start; turn < count; turn += starts) {
      writeFiles(root, { [`mine/${turn}`]: `by the user ${turn}\n` });
      before.push(treeState(root, isOthers));
      await turns.before(`turn-${before.length}`);
      for (let edit = 0; edit < 1 + die.below(8); edit++) randomEdit(root, die);
      turns.touched();
      turns.after();
      await turns.settled();
    }
    await turns[Symbol.asyncDispose]();
    if (told.some((text) => !text.startsWith("turn-"))) wrong.push({ seed, told });
  }
  writeFiles(root, { "mine/last": "by the user\n" });
  const [after, mine] = [treeState(root, isOthers), treeState(root, (path) => !path.startsWith("mine"))];
  const gitFolder = gitState(root);
  const first = 1 + die.below(before.length);
  for (const round of ["first", "second"]) {
    const undone = await undoFiles(home, root, { from: `turn-${first}`, undo: round });
    expectSame(`${round} undo`, [treeState(root, isOthers), undone.kept, undone.failed], [before[first - 1], [], []]);
    const redone = await redoFiles(home, root, round);
    expectSame(`${round} redo`, [treeState(root, isOthers), redone.kept, redone.failed], [after, [], []]);
  }
  expectSame(
    "the user's files",
    treeState(root, (path) => !path.startsWith("mine")),
    mine,
  );
  expectSame("git", gitState(root), gitFolder);
  return wrong;
}

/** Every byte of the repository's own folder: index, refs, stash and objects. */
function gitState(root: string): object {
  try {
    return everything(join(root, ".git"));
  } catch {
    // A folder without git.
    return {};
  }
}
