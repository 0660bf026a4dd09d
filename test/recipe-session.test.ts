import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "./support/git-repository.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

/** A recipe of the user's own, run as a command of a session does: with the settings of its launch. */
async function inSession(steps: string, changed: object = {}, env: NodeJS.ProcessEnv = {}) {
  const [cwd, home] = [tempRepository(), tempFolder()];
  writeFiles(home, { ".signalbox/recipes/own.yaml": `name: own\nsteps:\n${steps}` });
  writeFiles(cwd, { ".gitignore": "ignored\n", ignored: "mine\n" });
  const file = join(home, "settings.json");
  const settings = {
    agent: "claude",
    workspace: cwd,
    folder: home,
    interactive: false,
    closed: [],
    switches: [],
    deniedTools: [],
    hooks: [],
    seal: "",
    ...changed,
  };
  writeFileSync(file, JSON.stringify(settings));
  const session = { HOME: home, SIGNALBOX_SESSION: file, ...env };
  const { code, stdout, stderr } = await signalbox(["recipe", "run", "own", "--json"], { cwd, env: session });
  const results = stdout === "" ? [] : JSON.parse(stdout).step_results;
  return { cwd, code, stderr, statuses: results.map(({ status }: { status: string }) => status), results };
}

const LEAVING = "  - { id: a, command: touch inside }\n  - { id: b, contained: false, command: touch left }\n";

test("a step that leaves the sandbox is blocked, although a person who starts the recipe would see it run", async () => {
  const { cwd, code, statuses, stderr } = await inSession(LEAVING);
  expect([code, statuses]).toEqual([1, ["completed", "blocked"]]);
  expect([existsSync(join(cwd, "inside")), existsSync(join(cwd, "left"))]).toEqual([true, false]);
  expect(stderr).toContain("--outside 'b'");
  const alone = await inSession(LEAVING, {}, { SIGNALBOX_SESSION: "" });
  expect([alone.code, alone.statuses]).toEqual([0, ["completed", "completed"]]);
});

test.skipIf(!isOnPath("bwrap"))("what nothing could restore is not overwritten", async () => {
  const losing = "  - { id: a, command: rm ignored }\n";
  const { cwd, statuses } = await inSession(losing);
  expect([statuses, existsSync(join(cwd, "ignored"))]).toEqual([["blocked"], true]);
  const alone = await inSession(losing, {}, { SIGNALBOX_SESSION: "" });
  expect([alone.statuses, existsSync(join(alone.cwd, "ignored"))]).toEqual([["completed"], false]);
});

test("the agent's own rules hold for the steps", async () => {
  const rule = (words: readonly string[]) => ({ rule: "R", where: "settings:1", patterns: [{ kind: "words", words }] });
  const ownRules = { deny: [rule(["mkdir"])], ask: [rule(["touch"])], allow: [], sources: [] };
  const step = (id: string, command: string) => `  - { id: ${id}, command: ${command}, nonfatal: true }\n`;
  const { statuses, results } = await inSession(step("a", "mkdir x") + step("b", "echo ok") + step("c", "touch y"), {
    ownRules,
  });
  expect(statuses).toEqual(["failed", "completed", "blocked"]);
  expect(results[0].error).toContain("your own rule R in settings:1");
});

test("a session that is not known, has another workspace or is too deep starts nothing", async () => {
  const outcomes = await Promise.all([
    inSession(LEAVING, {}, { SIGNALBOX_SESSION: "/nowhere" }),
    inSession(LEAVING, { workspace: "/srv/other" }),
    inSession(LEAVING, {}, { AMPLIHACK_SESSION_DEPTH: "3", AMPLIHACK_MAX_DEPTH: "3" }),
  ]);
  expect(
    outcomes.map(({ code, stderr, cwd }) => [code, stderr.split("\n")[0], existsSync(join(cwd, "inside"))]),
  ).toEqual([
    [1, "signalbox: the session that started this recipe cannot be identified", false],
    [1, "signalbox: a session starts recipes only in its own workspace", false],
    [1, "signalbox: sessions are nested too deeply: this would be number 4, and the limit is 3", false],
  ]);
});
