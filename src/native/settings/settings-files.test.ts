import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { trust } from "../../guard/policy/trust.ts";
import { isUserError } from "../../lib/text/user-error.ts";
import {
  featureFlags,
  loadSettings,
  projectSettingsPath,
  readSettings,
  type SettingsOwner,
  settingsPath,
  wantedBaseUrl,
  wantedEffort,
  wantedModel,
} from "./settings-files.ts";

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

const FILE = "s.yaml";

function mistake(text: string, owner: SettingsOwner = "user") {
  try {
    readSettings(text, FILE, owner);
  } catch (error) {
    if (isUserError(error)) return { message: error.message, where: error.where, fix: error.fix };
    throw error;
  }
  throw new Error("the settings were accepted");
}

test("every setting is read, and nothing is filled in", () => {
  const text = `# mine
version: 1
model: anthropic/claude-haiku-4-5
effort: high
base_url: https://proxy.example/v1
skills:
  directories: [~/skills]
  disabled: [deploy]
engine:
  turns: 50
  tries: 2
`;
  expect(readSettings(text, FILE, "user")).toEqual({
    model: "anthropic/claude-haiku-4-5",
    effort: "high",
    base_url: "https://proxy.example/v1",
    skills: { directories: ["~/skills"], disabled: ["deploy"] },
    engine: { turns: 50, tries: 2 },
  });
});

test.each(["", "# nothing\n", "version: 1\n", "engine: {}\n", "{}"])("%j sets nothing", (text) => {
  expect(readSettings(text, FILE, "project")).toEqual({ engine: {} });
});

test.each([
  ["an unknown setting", "version: 1\nmodle: a/b\n", 'unknown setting "modle"', "s.yaml:2", "did you mean model?"],
  ["an unknown limit", "engine:\n  turn: 5\n", 'unknown setting "engine.turn"', "s.yaml:2", "did you mean turns?"],
  [
    "a key of JavaScript",
    "__proto__: { turns: 1 }\n",
    'unknown setting "__proto__"',
    "s.yaml:1",
    /^the names here are/,
  ],
  ["a strange name", "zzzzzzzz: 1\n", 'unknown setting "zzzzzzzz"', "s.yaml:1", /^the names here are version, model/],
  ["a limit that is none", "engine:\n  turns: many\n", /engine\.turns: expected/, "s.yaml:2", /docs\/models\.md/],
  [
    "a wait before there is anything to wait for",
    "engine:\n  compact_at: 0.9\n  compact_wait_at: 0.5\n",
    /engine\.compact_wait_at: must be at least compact_at/,
    "s.yaml:3",
    /docs/,
  ],
  ["a limit of 0", "engine:\n  turns: 0\n", /engine\.turns/, "s.yaml:2", /docs/],
  ["an infinite limit", "engine:\n  turns: .inf\n", /cannot be used/, "s.yaml", /./],
  ["skills that are no list", "skills:\n  disabled: deploy\n", /skills\.disabled: expected/, "s.yaml:2", /docs/],
  ["an unknown effort", "effort: huge\n", /effort/, "s.yaml:1", /docs/],
  ["a list", "- model\n", /invalid/, "s.yaml:1", /docs/],
  ["a text", "model\n", /invalid/, "s.yaml:1", /docs/],
  ["a model that is a number", "model: 5\n", /model: expected string/, "s.yaml:1", /docs/],
  ["a key twice", "model: a/b\nmodel: c/d\n", /invalid YAML/, /^s\.yaml:2/, /./],
  ["broken YAML", "model: [\n", /invalid YAML/, /^s\.yaml:/, /./],
  ["a newer format", "version: 2\n", /written by a newer signalbox/, "s.yaml:1", "update signalbox"],
  ["an address without a model", "base_url: https://h.example\n", /base_url needs a model/, "s.yaml:1", /./],
])("%s is named with its place and what to do", (_, text, message, where, fix) => {
  const found = mistake(text);
  expect(found.message).toMatch(message);
  expect(found.where).toMatch(where);
  expect(found.fix).toMatch(fix);
});

test("a project cannot say where keys are sent", () => {
  expect(mistake("model: anthropic/m\nbase_url: https://thief.example/v1\n", "project")).toEqual({
    message: "a project cannot set base_url, because a repository must not choose where keys are sent",
    where: "s.yaml:2",
    fix: "remove it; to use another address, set it in ~/.signalbox/settings.yaml or pass --base-url",
  });
});

test.each([
  ["aliases that multiply", `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(200)}]\nc: [${"*b,".repeat(200)}]\n`],
  ["an alias of itself", "engine: &e { turns: *e }\n"],
  ["10,000 brackets", "[".repeat(10_000)],
  ["5 MB", `model: ${"x".repeat(5_000_000)}\n`],
])("%s are refused without harm", (_, text) => {
  expect(mistake(text).message).toMatch(/settings file/);
});

const flags = (text?: string) => featureFlags({ SIGNALBOX_FLAGS: text });

const DEFAULTS = { autopilot: false, "lsp-tools": true, "disable-web-tools": false };

test.each([undefined, "", " , "])("without a name, the defaults hold (%j)", (text) => {
  expect(flags(text)).toEqual(DEFAULTS);
});

test("names switch flags on, and off with a dash in front", () => {
  expect(flags("autopilot,-lsp-tools disable-web-tools")).toEqual({
    autopilot: true,
    "lsp-tools": false,
    "disable-web-tools": true,
  });
});

test("experimental stands for the experimental ones, and the last word counts", () => {
  expect(flags("experimental")).toEqual({ ...DEFAULTS, autopilot: true });
  expect(flags("experimental,-autopilot")).toEqual(DEFAULTS);
  expect(flags("-experimental autopilot")).toEqual({ ...DEFAULTS, autopilot: true });
});

test.each([
  ["autopilt", "did you mean autopilot?"],
  ["-lsp_tools", "did you mean lsp-tools?"],
  ["fleet", "the flags are autopilot, lsp-tools, disable-web-tools, and experimental"],
  ["constructor", "the flags are"],
  ["x".repeat(100_000), "the flags are"],
])("an unknown flag is an error with the nearest name (%#)", (text, fix) => {
  expect(() => flags(text)).toThrow(
    expect.objectContaining({ where: "SIGNALBOX_FLAGS", fix: expect.stringContaining(fix) }),
  );
});
