import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { trust } from "../../guard/policy/trust.ts";
import { loadSettings, projectSettingsPath, settingsPath } from "./settings-files.ts";
import { wantedBaseUrl, wantedEffort, wantedModel } from "./model-setting.ts";

function places() {
  const home = tempFolder();
  const workspace = tempFolder();
  mkdirSync(join(workspace, ".signalbox"));
  const project = projectSettingsPath(workspace);
  return {
    home,
    workspace,
    project,
    write: (text: string) => writeFileSync(settingsPath(home), text),
    writeProject: (text: string, isTrusted = true) => {
      writeFileSync(project, text);
      if (isTrusted) trust(home, { path: project, text, time: "now" });
    },
  };
}

test("without files nothing is set and nothing is said", () => {
  const { home, workspace } = places();
  const skills = { directories: [], disabled: [] };
  const none = { user: undefined, project: undefined, skills, engine: {}, notes: [] };
  expect([loadSettings(home, workspace), loadSettings(home)]).toEqual([none, none]);
});

test("a project file that is not trusted is ignored, even a broken one, and the way to trust it is said", () => {
  const { home, workspace, project, writeProject } = places();
  writeProject("model: [\n", false);
  const loaded = loadSettings(home, workspace);
  expect([loaded.project, loaded.notes]).toEqual([
    undefined,
    [`ignoring ${project}: it is not trusted; to review it: signalbox trust`],
  ]);
});

test("a trusted project file counts until it changes", () => {
  const { home, workspace, project, writeProject } = places();
  writeProject("model: openai/gpt-5-mini\n");
  expect(loadSettings(home, workspace).project?.model).toBe("openai/gpt-5-mini");
  writeFileSync(project, "model: openai/gpt-5-mini \n");
  const loaded = loadSettings(home, workspace);
  expect([loaded.project, loaded.notes]).toEqual([
    undefined,
    [`ignoring ${project}: it changed since you trusted it; to review it: signalbox trust`],
  ]);
});

test("a project disables skills, and cannot name folders of them", () => {
  const { home, workspace, write, writeProject } = places();
  write("skills: { directories: [/mine], disabled: [a] }\n");
  writeProject("skills: { disabled: [b] }\n");
  expect(loadSettings(home, workspace).skills).toEqual({ directories: ["/mine"], disabled: ["a", "b"] });
  writeProject("skills: { directories: [/] }\n");
  expect(() => loadSettings(home, workspace)).toThrow("a project cannot set skills.directories");
});

test("a project lowers limits, and never raises one", () => {
  const { home, workspace, write, writeProject } = places();
  write("engine: { compact_at: 0.9 }\n");
  writeProject("engine: { compact_wait_at: 0.85 }\n");
  expect(loadSettings(home, workspace).engine).toEqual({ compact_at: 0.85, compact_wait_at: 0.85 });
  write("engine: { turns: 50, tries: 3 }\n");
  writeProject("engine: { turns: 40, tries: 20, parallel_calls: 64, gate_blocks: 2 }\n");
  expect(loadSettings(home, workspace).engine).toEqual({ turns: 40, tries: 3, parallel_calls: 8, gate_blocks: 2 });
});

test("the environment wins over the project, the project over the user, the user over the only key", () => {
  const { home, workspace, write, writeProject, project } = places();
  const key = { ANTHROPIC_API_KEY: "k" };
  const wanted = (environment: Record<string, string>) => {
    const settings = loadSettings(home, workspace);
    return [wantedModel(environment, settings)?.place, wantedEffort(environment, settings)?.place];
  };
  expect(wanted({})).toEqual([undefined, undefined]);
  expect(wanted(key)).toEqual(["ANTHROPIC_API_KEY", undefined]);
  write("model: openai/a\neffort: low\n");
  expect(wanted(key)).toEqual([settingsPath(home), settingsPath(home)]);
  writeProject("model: openai/b\neffort: high\n");
  expect(wanted(key)).toEqual([project, project]);
  expect(wanted({ ...key, SIGNALBOX_MODEL: "openai/c", SIGNALBOX_EFFORT: "max" })).toEqual([
    "SIGNALBOX_MODEL",
    "SIGNALBOX_EFFORT",
  ]);
  expect(wanted({ ...key, SIGNALBOX_MODEL: "", SIGNALBOX_EFFORT: "" })).toEqual([project, project]);
});

test("the user's address is never used for another provider", () => {
  const { home, write } = places();
  write("model: compatible/a\nbase_url: http://127.0.0.1:8080/v1\n");
  const settings = loadSettings(home);
  expect(["compatible/b", "anthropic/m", "compatible", undefined].map((name) => wantedBaseUrl(name, settings))).toEqual(
    ["http://127.0.0.1:8080/v1", undefined, "http://127.0.0.1:8080/v1", undefined],
  );
});

test("in the home folder the file is the user's own, and no trust is needed", () => {
  const folder = tempFolder();
  const home = join(folder, ".signalbox");
  mkdirSync(home);
  writeFileSync(settingsPath(home), "model: openai/a\n");
  expect(loadSettings(home, folder)).toMatchObject({ user: { model: "openai/a" }, notes: [] });
});

const HOSTILE: readonly (readonly [string, (path: string) => void, string])[] = [
  ["a link to itself", (path) => symlinkSync(path, path), "ELOOP"],
  ["a folder", (path) => mkdirSync(path), "not a regular file"],
  ["a FIFO", (path) => void execFileSync("mkfifo", [path]), "not a regular file"],
  ["5 MB", (path) => writeFileSync(path, "#".repeat(5_000_000)), "larger than 65536 bytes"],
  ["random bytes", (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00, 0x80])), "it is not UTF-8"],
  ["NUL bytes", (path) => writeFileSync(path, "model: a\0b\n"), "it is not text"],
];

test.each(HOSTILE)("%s as settings of a project is ignored and said", (_, make, why) => {
  const { home, workspace, project } = places();
  make(project);
  expect(loadSettings(home, workspace).notes).toEqual([`ignoring ${project}: it cannot be read (${why})`]);
});

test.each(HOSTILE)("%s as the user's own settings is an error with the file's name", (_, make, why) => {
  const { home } = places();
  make(settingsPath(home));
  expect(() => loadSettings(home)).toThrow(`the settings file cannot be read: ${why}`);
});

test("a link to nowhere is no file", () => {
  const { home, workspace, project } = places();
  symlinkSync(join(workspace, "gone"), project);
  expect(loadSettings(home, workspace).notes).toEqual([]);
});
