import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { GivenTexts, Installed } from "../../contract/agent-install.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { isUserError } from "../../lib/text/user-error.ts";
import { containedPolicy, geminiInstall } from "./install.ts";
import { geminiManaged } from "./settings.ts";

interface Scene {
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly files?: Readonly<Record<string, string>>;
  readonly contained?: boolean;
  readonly given?: GivenTexts;
}

/** Files of a scene: `home/…` is the user's, `work/…` the repository. */
function scene({ flags = [], env = {}, files = {}, contained = false, given }: Scene) {
  const root = tempFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries({ "work/sub/x": "", "launch/x": "", "home/x": "", ...files }))
    write(path, text);
  const [home, folder, cwd] = [join(root, "home"), join(root, "launch"), join(root, "work/sub")];
  const warned: string[] = [];
  const install = (): Installed | Promise<Installed> =>
    geminiInstall.install({
      folder,
      cwd,
      contained,
      given,
      flags,
      env: { HOME: home, PATH: "/usr/bin", ...env },
      workspace: join(root, "work"),
      home: join(root, "signalbox"),
      wrapper: join(folder, "hook"),
      binary: "/bin/gemini",
      interactive: false,
      warn: (line) => void warned.push(line),
      trusts: () => false,
      trusted: [],
      staged: () => false,
      mayRead: () => true,
    });
  return { root, folder, install, warned };
}

async function settingsOf(given: Scene): Promise<Readonly<Record<string, unknown>>> {
  const { folder, install } = scene(given);
  await install();
  const value: unknown = JSON.parse(readFileSync(join(folder, "gemini/.gemini/settings.json"), "utf8"));
  return isRecord(value) ? value : {};
}

test("the settings are the user's, with our hooks first and every switch on", async () => {
  const own = {
    hooks: { BeforeTool: [{ hooks: [{ type: "command", command: "mine" }] }] },
    hooksConfig: { enabled: false, disabled: ["x"] },
    security: { auth: { selectedType: "oauth-personal" }, folderTrust: { enabled: false } },
    context: { fileName: "NOTES.md" },
  };
  const settings = await settingsOf({
    files: { "home/.gemini/settings.json": `// mine\n${JSON.stringify(own)}` },
    contained: true,
  });
  expect(settings).toMatchObject({
    hooks: {
      BeforeTool: [
        {
          hooks: [{ type: "command", command: expect.stringMatching(/hook' tool-before \|\| \{ echo .*exit 2; \}$/) }],
        },
        { hooks: [{ type: "command", command: "mine" }] },
      ],
      AfterAgent: [{ hooks: [{ type: "command", command: expect.stringMatching(/hook' agent-stop$/) }] }],
    },
    hooksConfig: { enabled: true, disabled: ["x"] },
    security: { auth: { selectedType: "oauth-personal" }, folderTrust: { enabled: true } },
    context: { fileName: ["NOTES.md", "AGENTS.md"] },
    tools: { sandbox: false },
    advanced: { ignoreLocalEnv: true },
    policyPaths: [expect.stringMatching(/gemini\/\.gemini\/policies$/), expect.stringMatching(/gemini-policy\.toml$/)],
  });
});

test.each([
  ["its own", '{"projects":{"/one":"one"}}', { "/one": "one", "/two": "two", "/three": "three" }],
  ["none", undefined, { "/two": "two", "/three": "three" }],
  ["a broken one", "{", { "/two": "two", "/three": "three" }],
])("the list of projects is a file of the launch, and %s is completed in the end", async (_, own, expected) => {
  const { root, folder, install } = scene({ files: own === undefined ? {} : { "home/.gemini/projects.json": own } });
  const { end } = await install();
  const [shared, users] = [join(folder, "gemini/.gemini/projects.json"), join(root, "home/.gemini/projects.json")];
  expect(lstatSync(shared, { throwIfNoEntry: false })?.isFile()).toBe(own === undefined ? undefined : true);
  const projects = own === '{"projects":{"/one":"one"}}' ? { "/one": "one" } : {};
  writeFileSync(shared, JSON.stringify({ projects: { ...projects, "/two": "two" } }));
  // Another session ends first.
  writeFileSync(users, JSON.stringify({ projects: { ...projects, "/three": "three" } }));
  end?.();
  expect(JSON.parse(readFileSync(users, "utf8"))).toEqual({ projects: expected });
});

test("the rest of the user's folder is shared, and what Gemini replaces there is kept", async () => {
  const { root, folder, install } = scene({
    files: {
      "home/.gemini/oauth_creds.json": "old",
      "home/.gemini/trustedFolders.json": '{"/":"TRUST_FOLDER"}',
      "home/.gemini/commands/mine.toml": "",
      "home/.agents/skills/mine/SKILL.md": "",
    },
  });
  const { env, end } = await install();
  const shared = join(folder, "gemini/.gemini");
  expect([env["GEMINI_CLI_HOME"], env["GEMINI_CLI_TRUSTED_FOLDERS_PATH"]]).toEqual([
    join(folder, "gemini"),
    join(shared, "trustedFolders.json"),
  ]);
  expect(readFileSync(join(shared, "trustedFolders.json"), "utf8")).toBe("{}");
  expect([
    existsSync(join(shared, "commands/mine.toml")),
    existsSync(join(folder, "gemini/.agents/skills/mine")),
  ]).toEqual([true, true]);
  // A login is written through its link, and a new file in place of one.
  writeFileSync(join(shared, "oauth_creds.json"), "new");
  writeFileSync(join(shared, "google_accounts.json"), "account");
  writeFileSync(join(shared, "unknown.json"), "made here");
  end?.();
  const kept = (name: string) => readFileSync(join(root, "home/.gemini", name), "utf8");
  expect(["oauth_creds.json", "google_accounts.json", "unknown.json", "trustedFolders.json"].map(kept)).toEqual([
    "new",
    "account",
    "made here",
    '{"/":"TRUST_FOLDER"}',
  ]);
  expect(existsSync(join(root, "home/.gemini/settings.json"))).toBe(false);
});

const GIVEN: GivenTexts = {
  agents: [],
  commands: [],
  skills: [],
  instructions: [{ path: "/i.md", text: "TEXT", isOwn: true }],
};

test("our texts are an extension beside the user's own, and what is installed or updated there is kept", async () => {
  const { root, folder, install } = scene({
    given: GIVEN,
    files: {
      "home/.gemini/extensions/mine/gemini-extension.json": "mine",
      "home/.gemini/extensions/old/gemini-extension.json": "old",
      "home/.gemini/extensions/signalbox/gemini-extension.json": "also mine",
      "home/.gemini/extensions/extension-enablement.json": "{}",
    },
  });
  const { end } = await install();
  const extensions = join(folder, "gemini/.gemini/extensions");
  const ours = readdirSync(extensions).find((name) => name.startsWith("signalbox-")) ?? "";
  expect(readFileSync(join(extensions, ours, "GEMINI.md"), "utf8")).toContain("TEXT");
  expect(JSON.parse(readFileSync(join(extensions, ours, "gemini-extension.json"), "utf8"))).toMatchObject({
    name: ours,
  });
  expect(readFileSync(join(extensions, "mine/gemini-extension.json"), "utf8")).toBe("mine");
  rmSync(join(extensions, "old"));
  for (const name of ["old", "new"]) {
    mkdirSync(join(extensions, name));
    writeFileSync(join(extensions, name, "gemini-extension.json"), "new");
  }
  end?.();
  const own = join(root, "home/.gemini/extensions");
  expect(readdirSync(own).toSorted()).toEqual(["extension-enablement.json", "mine", "new", "old", "signalbox"]);
  expect(["mine", "new", "old"].map((name) => readFileSync(join(own, name, "gemini-extension.json"), "utf8"))).toEqual([
    "mine",
    "new",
    "new",
  ]);
});

test("with a list of allowed extensions Gemini gets none of ours, and the launch says so", async () => {
  const settings = { security: { allowedExtensions: ["^https://mine"] } };
  const files = { "home/.gemini/settings.json": JSON.stringify(settings) };
  const { folder, install, warned } = scene({ given: GIVEN, files });
  await install();
  expect([existsSync(join(folder, "gemini/.gemini/extensions")), warned]).toEqual([
    false,
    [expect.stringContaining("Gemini CLI gets nothing from .signalbox, because security.allowedExtensions in ")],
  ]);
});

test("no variable of a repository's .gemini/.env reaches Gemini, except for an account and a model", async () => {
  const { install } = scene({
    files: {
      "work/.gemini/.env":
        "export HTTPS_PROXY=http://evil\nGEMINI_API_KEY=theirs\nTEXT='a\nNODE_TLS_REJECT_UNAUTHORIZED=0'\n",
      "work/sub/.gemini/.env": "GOOGLE_GEMINI_BASE_URL: http://evil\n",
      "home/.gemini/.env": "MINE=1\n",
    },
    env: { GEMINI_RESTRICTED_MODE: "true", GEMINI_CLI_SYSTEM_DEFAULTS_PATH: "/opt/defaults.json" },
  });
  const { env } = await install();
  const names = [
    "HTTPS_PROXY",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "GOOGLE_GEMINI_BASE_URL",
    "BASH_ENV",
    "LD_PRELOAD",
    "PS4",
  ];
  expect(names.map((name) => env[name])).toEqual(names.map(() => ""));
  expect(
    ["GEMINI_API_KEY", "MINE", "GEMINI_RESTRICTED_MODE", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"].map((name) => env[name]),
  ).toEqual([undefined, undefined, "", "/opt/defaults.json"]);
});

test("the first bash on PATH is the system's", async () => {
  const { folder, install } = scene({ env: { PATH: "./planted:/usr/bin" } });
  const { env } = await install();
  const [first = "", ...rest] = (env["PATH"] ?? "").split(":");
  expect([first, rest]).toEqual([join(folder, "gemini-bin"), ["./planted", "/usr/bin"]]);
  expect(lstatSync(join(first, "bash")).isSymbolicLink()).toBe(true);
  expect(realpathSync(join(first, "bash"))).toBe(realpathSync("/bin/bash"));
});

test.each<readonly [Scene, readonly string[]]>([
  [{ flags: ["-m", "x"] }, ["--skip-trust", "-m", "x"]],
  [{ flags: ["mcp", "list"] }, ["mcp", "list"]],
  [{ flags: ["--policy", "mine.toml"] }, ["--skip-trust", "--policy", "mine.toml"]],
  [
    { flags: ["--policy=mine.toml"], contained: true },
    ["--skip-trust", expect.stringMatching(/^--policy=.*gemini-policy\.toml$/), "--policy=mine.toml"],
  ],
  [{ flags: ["-m", "x"], given: GIVEN }, ["--skip-trust", "-m", "x"]],
  [{ flags: ["-e", "none"], given: GIVEN }, ["--skip-trust", "--extensions=signalbox", "-e", "none"]],
  [{ flags: ["extensions", "list"], given: GIVEN }, ["extensions", "list"]],
])("%j starts Gemini with %j", async (given, flags) => {
  expect((await scene(given).install()).flags).toEqual(flags);
});

test.each<readonly [Scene, string]>([
  [{ flags: ["--acp"] }, "--acp would disable the guard"],
  [{ flags: ["-w", "x"] }, "-w starts the agent in another folder than the one whose rules apply"],
  [{ flags: ["--sandbox"] }, "Gemini's own sandbox runs it in a container, where our hooks cannot be reached"],
  [
    { env: { GEMINI_SANDBOX: "docker" } },
    "Gemini's own sandbox runs it in a container, where our hooks cannot be reached",
  ],
  [{ files: { "home/.gemini/settings.json": "{" } }, "cannot read your settings of Gemini CLI"],
])("%j is refused: %s", async (given, message) => {
  const { install } = scene(given);
  const refused = await Promise.try(install).catch((error: unknown) => error);
  expect(isUserError(refused) ? [refused.message, refused.exitCode] : refused).toEqual([message, 3]);
});

test.each([
  ['{"hooksConfig": {"enabled": false}}', "off"],
  ['{"security": {"folderTrust": {"enabled": false}}}', "off"],
  ['{"hooksConfig": {"enabled": true}, "telemetry": {"enabled": false}}', undefined],
])("an administrator's %s: %s", (text, state) => {
  const root = tempFolder();
  mkdirSync(join(root, "etc/gemini-cli"), { recursive: true });
  writeFileSync(join(root, "etc/gemini-cli/settings.json"), text);
  expect(geminiManaged(root)?.state).toBe(state);
});

test("the rule of a contained start is about commands of this user's sandbox, and about nothing else", () => {
  const [, pattern = ""] = /^commandRegex = (".*")$/m.exec(containedPolicy("/home/it's/.signalbox")) ?? [];
  const matches = (command: string) =>
    new RegExp(`"command":"${String(JSON.parse(pattern))}`).test(JSON.stringify({ command }));
  expect([
    matches(String.raw`'/home/it'\''s/.signalbox/s/0a1b2c/sandbox' 'touch x'`),
    matches(String.raw`true; '/home/it'\''s/.signalbox/s/0a1b2c/sandbox' 'touch x'`),
    matches(String.raw`'/home/it'\''s/.signalbox/s/0a1b2c/sandbox'x`),
    matches(String.raw`'/home/it'\''sX.signalbox/s/0a1b2c/sandbox' x`),
    matches("touch x"),
  ]).toEqual([true, false, false, false, false]);
});
