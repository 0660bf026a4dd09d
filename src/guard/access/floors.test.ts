import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { judge } from "../judge/judge.ts";
import { parseMounts, realMachine } from "../machine/real-machine.ts";
import type { Policy } from "../../contract/policy.ts";
import { PRESETS } from "../presets/presets.ts";
import type { Machine } from "../../contract/machine.ts";
import { expandPattern } from "../../lib/text/wildcard.ts";

const still: Machine = { readLink: () => undefined, addresses: () => undefined, now: () => 0 };
const policyOf = (workspaceRoot: string): Policy => ({
  ...PRESETS.default,
  version: 1,
  workspaceRoot,
  home: "/home/dev",
});

const use = (tool: string, input: unknown, machine = still, root = "/srv/repo") =>
  judge({ tool, input, cwd: root }, policyOf(root), machine).verdict;
const write = (path: string) => [
  use("Write", { file_path: path, content: "x" }),
  use("Bash", { command: `printf x > '${path}'` }),
];

test.each([
  "sub/.git",
  "sub/.git/config",
  "sub/.GIT/hooks/x",
  ".gitlab-ci.yml",
  "Jenkinsfile",
  "ci/Jenkinsfile.release",
  "azure-pipelines.yml",
  ".travis.yml",
  "bitbucket-pipelines.yml",
  ".circleci/config.yml",
  ".drone.yml",
  ".buildkite/pipeline.yml",
  "appveyor.yml",
  ".woodpecker/build.yml",
  ".cirrus.yml",
  "sub/.husky/pre-commit",
  "lefthook.yml",
  ".lefthook-local.yaml",
  ".pre-commit-config.yaml",
  ".overcommit.yml",
  ".simple-git-hooks.json",
  ".githooks/pre-push",
  ".hg/hgrc",
  "sub/.jj/repo/config.toml",
  ".gdbinit",
  "sub/.Rprofile",
  "sub/.cursor/mcp.json",
  "sub/opencode.json",
  ".envrc",
  ".gitmodules",
  "sub/.envrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  "pip.conf",
  ".cargo/config.toml",
  "sub/.vscode/tasks.json",
  ".vscode/launch.json",
  "x.code-workspace",
  ".idea/runConfigurations/x.xml",
  ".zed/tasks.json",
  ".devcontainer/devcontainer.json",
  ".devcontainer.json",
  "bamboo-specs/bamboo.yml",
  "codemagic.yaml",
  "bitrise.yml",
  ".zuul.yaml",
  "screwdriver.yaml",
  ".vela.yml",
  "netlify.toml",
  "hk.pkl",
  "prek.toml",
  "grumphp.yml",
  ".hooks/pre-commit",
  "githooks/pre-commit",
  ".helix/languages.toml",
  ".idea/watcherTasks.xml",
  ".idea/externalTools.xml",
  ".idea/startup.xml",
  ".vs/tasks.vs.json",
  ".qwen/settings.json",
  "sub/.factory/settings.json",
  ".crush.json",
  ".kilocode/mcp.json",
  ".augment/settings.json",
  ".openhands/setup.sh",
  ".roomodes",
  ".claude-plugin/plugin.json",
  "/home/dev/Library/Application Support/Code/User/settings.json",
  "/home/dev/Library/LaunchAgents/x.plist",
])("%s may not be written", (path) => {
  expect(write(path)).toEqual(["deny", "deny"]);
});

test.each([
  "AGENTS.md",
  "sub/CLAUDE.md",
  "GEMINI.md",
  ".cursorrules",
  ".github/copilot-instructions.md",
  ".github/instructions/a.instructions.md",
  ".clinerules/a.md",
  ".agent/rules/a.md",
])("a person looks before %s is written, and it can be read", (path) => {
  expect(write(path)).toEqual(["ask", "ask"]);
  expect(use("Bash", { command: `rm '${path}'` })).not.toBe("allow");
  expect(use("Read", { file_path: path })).toBe("allow");
});

test.each([".gitignore", ".gitattributes", "src/agents.ts", "docs/ci.md", ".vscode/extensions.json", "package.json"])(
  "%s can be written",
  (path) => {
    expect(write(path)).toEqual(["allow", "allow"]);
  },
);

test.each([
  "~/Library/Keychains/login.keychain-db",
  "~/Library/Application Support/Google/Chrome/Default/Cookies",
  "~/Library/Application Support/Firefox/Profiles/x/logins.json",
  "~/.mozilla/firefox/x/logins.json",
  "~/.local/share/keyrings/login.keyring",
])("%s may not be read", (path) => {
  expect(use("Read", { file_path: path.replace("~", "/home/dev") })).toBe("deny");
});

test("patterns of the agents' search tools are taken apart and may match hidden files", () => {
  const search = (tool: string, input: Record<string, string>) => use(tool, input);
  for (const glob of [
    "{.env,zz}",
    "{src,{.env,x}}",
    "*.ts,.env",
    "*.ts .env",
    "*.{ts,js},.env",
    "*env",
    ".en*",
    "**/.e?v",
  ])
    expect([glob, search("grep", { pattern: "x", glob })]).not.toEqual([glob, "allow"]);
  expect(search("Glob", { pattern: "{.env,a}" })).not.toBe("allow");
  for (const glob of ["*.{ts,tsx}", "*.ts,*.js", "*.ts !dist", "**/*.ts", "src/**", "!dist"])
    expect([glob, search("grep", { pattern: "x", glob })]).toEqual([glob, "allow"]);
  expect(expandPattern("{a,b{c,d}}e")).toHaveLength(3);
  expect(expandPattern("{a,b}".repeat(9))).toEqual([".*"]);
});

test("tools open no devices and streams; programs may use the ordinary ones", () => {
  for (const path of ["/dev/stdin", "/dev/tty", "/dev/zero", "/dev/urandom", "/dev/fd/0", "/proc/self/fd/0"])
    expect([path, use("Read", { file_path: path })]).toEqual([path, "deny"]);
  expect(use("Write", { file_path: "/dev/null", content: "" })).toBe("allow");
  expect(use("Bash", { command: "cat /dev/stdin > /dev/null; echo x > /dev/stderr" })).toBe("allow");
});

test("a pipe of the workspace is asked about, whoever opens it", () => {
  const root = tempFolder();
  execFileSync("mkfifo", [join(root, "pipe")]);
  writeFileSync(join(root, "file"), "x");
  const verdicts = (name: string) => [
    use("Read", { file_path: name }, realMachine, root),
    use("Write", { file_path: name, content: "x" }, realMachine, root),
    use("Bash", { command: `cat ${name}` }, realMachine, root),
    use("Bash", { command: `echo x > ${name}` }, realMachine, root),
  ];
  expect(verdicts("pipe")).toEqual(["ask", "ask", "ask", "ask"]);
  expect(verdicts("file")).toEqual(["allow", "allow", "allow", "allow"]);
});

test("what is mounted into the workspace can be read, and is asked about before it changes", () => {
  const points = parseMounts(
    "36 35 98:0 / /srv/repo/a\\040b rw - ext4 /dev/x rw\n1 1 0:1 / /srv/repo rw - ext4 /dev/y rw\n",
  );
  expect(points).toEqual(["/srv/repo/a b", "/srv/repo"]);
  const machine = { ...still, mounts: () => points };
  expect(use("Write", { file_path: "a b/x", content: "x" }, machine)).toBe("ask");
  expect(use("Read", { file_path: "a b/x" }, machine)).toBe("allow");
  expect(use("Write", { file_path: "x", content: "x" }, machine)).toBe("allow");
});

test("signalbox's own folder is protected wherever SIGNALBOX_HOME puts it, also behind a link", () => {
  const folder = join(tempFolder(), "odd[name");
  const link = `${folder}-link`;
  mkdirSync(folder);
  symlinkSync(folder, link);
  const judged = (place: string) => [
    ...write(`${place}/policy.yaml`),
    use("Read", { file_path: `${place}/keys/seal` }),
    use("Bash", { command: `cat '${place}/mcp-auth/login.json'` }),
  ];
  expect(judged(folder)).not.toContain("deny");
  vi.stubEnv("SIGNALBOX_HOME", link);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect([...judged(folder), ...judged(link)]).toEqual(Array.from({ length: 8 }, () => "deny"));
});
