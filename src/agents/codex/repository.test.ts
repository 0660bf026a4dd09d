import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { GivenText, GivenTexts } from "../../contract/agent-install.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { fromRepository } from "./repository.ts";

interface Start {
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** The person's own `~/.codex`. */
  readonly own?: Readonly<Record<string, string>>;
  readonly sub?: string;
  readonly flags?: readonly string[];
  readonly interactive?: boolean;
  readonly trusted?: readonly string[];
  readonly denied?: string;
  readonly texts?: GivenTexts;
}

/** What Codex would get: the overrides as one table, the remaining flags, and the warnings. */
function given(start: Start) {
  const workspace = tempFolder();
  const [home, folder] = [tempFolder(), tempFolder()];
  const here = (text: string) => text.replaceAll("$R", workspace);
  writeFiles(workspace, start.files);
  writeFiles(join(home, ".codex"), Object.fromEntries(Object.entries(start.own ?? {}).map(([k, v]) => [k, here(v)])));
  const said: string[] = [];
  const { flags, ours } = fromRepository({
    folder,
    workspace,
    cwd: join(workspace, start.sub ?? ""),
    env: { HOME: home },
    flags: start.flags ?? [],
    interactive: start.interactive ?? false,
    trusts: (path) => (start.trusted ?? []).some((name) => join(workspace, name) === path),
    mayRead: (path) => start.denied === undefined || !path.endsWith(start.denied),
    warn: (text) => void said.push(text),
    given: start.texts,
  });
  const table = parse(ours.filter((word) => word !== "-c").join("\n"));
  return { flags, table, said, workspace, folder };
}

const bodyOf = (table: Readonly<Record<string, unknown>>) =>
  /<INSTRUCTIONS>\n(.*)\n<\/INSTRUCTIONS>/s.exec(String(table["developer_instructions"]))?.[1];

test.each<[string, Start, string | undefined]>([
  ["the top's", { files: { "AGENTS.md": "TOP" } }, "TOP"],
  ["none where there is none", { files: {} }, undefined],
  ["from the top down", { files: { "AGENTS.md": "TOP", "a/b/AGENTS.md": "LOW", "a/x": "" }, sub: "a/b" }, "TOP\n\nLOW"],
  ["not of folders below", { files: { "AGENTS.md": "TOP", "a/AGENTS.md": "LOW" } }, "TOP"],
  ["an override first", { files: { "AGENTS.md": "TOP", "AGENTS.override.md": "OVER" } }, "OVER"],
  [
    "a fallback name last",
    {
      files: { "R.md": "READ", "a/AGENTS.md": "A", "a/R.md": "no" },
      sub: "a",
      own: { "config.toml": 'project_doc_fallback_filenames=["R.md"]' },
    },
    "READ\n\nA",
  ],
  [
    "cut at 32 KiB in all",
    { files: { "AGENTS.md": "x".repeat(32_760), "a/AGENTS.md": "123456789" }, sub: "a" },
    `${"x".repeat(32_760)}\n\n12345678`,
  ],
  [
    "cut at the person's size",
    { files: { "AGENTS.md": "123456789" }, own: { "config.toml": "project_doc_max_bytes=4" } },
    "1234",
  ],
  ["cut at the size of a flag", { files: { "AGENTS.md": "123456789" }, flags: ["-cproject_doc_max_bytes=5"] }, "12345"],
  [
    "none for a size of nothing",
    { files: { "AGENTS.md": "TOP" }, own: { "config.toml": "project_doc_max_bytes=0" } },
    undefined,
  ],
  ["none that is a folder", { files: { "AGENTS.md/x": "TOP" } }, undefined],
  ["none that the policy denies", { files: { "AGENTS.md": "TOP" }, denied: "AGENTS.md" }, undefined],
  ["none that is no text", { files: { "AGENTS.md": Buffer.from([65, 0]) } }, undefined],
  [
    "odd bytes as they can be shown",
    { files: { "AGENTS.md": Buffer.from([65, 0xff, 0x7f, 0x1b, 34, 92]) } },
    'A\ufffd\u007f\u001b"\\',
  ],
  [
    "in a terminal none of a folder that Codex asks about",
    { files: { "AGENTS.md": "TOP" }, interactive: true },
    undefined,
  ],
  [
    "in a terminal none of a trusted folder",
    {
      files: { "AGENTS.md": "TOP" },
      interactive: true,
      own: { "config.toml": '[projects."$R"]\ntrust_level="trusted"' },
    },
    undefined,
  ],
  [
    "in a terminal that of an untrusted folder",
    {
      files: { "AGENTS.md": "TOP" },
      interactive: true,
      own: { "config.toml": '[projects."$R"]\ntrust_level="untrusted"' },
    },
    "TOP",
  ],
])("the instructions for Codex: %s", (_, start, expected) => {
  expect(bodyOf(given(start).table)).toBe(expected);
});

test("a link out of the workspace is left out, and it is said", () => {
  const workspace = tempFolder();
  symlinkSync("/etc/passwd", join(workspace, "AGENTS.md"));
  const said: string[] = [];
  const rest = { env: { HOME: tempFolder() }, flags: [], interactive: false, trusts: () => false, mayRead: () => true };
  const { ours } = fromRepository({
    ...rest,
    workspace,
    cwd: workspace,
    folder: tempFolder(),
    warn: (text) => void said.push(text),
  });
  expect([ours, said]).toEqual([
    [],
    [
      "left out of the instructions for Codex: AGENTS.md (it is a link out of the workspace); copy the text you need into AGENTS.md or the prompt",
    ],
  ]);
});

test.each<[string, Start, readonly string[]]>([
  ["config.toml", { files: {}, own: { "config.toml": 'developer_instructions="OWN"' } }, []],
  [
    "a profile",
    {
      files: {},
      own: { "config.toml": 'developer_instructions="x"\n[profiles.p]\ndeveloper_instructions="OWN"' },
      flags: ["-p", "p"],
    },
    ["-p", "p"],
  ],
  [
    "a profile's file",
    { files: {}, own: { "p.config.toml": 'developer_instructions="OWN"' }, flags: ["--profile=p"] },
    ["--profile=p"],
  ],
  [
    "-c and its value",
    { files: {}, flags: ["exec", "-c", 'developer_instructions="OWN"', "-m", "x"] },
    ["exec", "-m", "x"],
  ],
  ["--config=", { files: {}, flags: ["--config=developer_instructions=OWN", "-m", "x"] }, ["-m", "x"]],
])("the person's own instructions in %s come first", (_, start, left) => {
  const { table, flags } = given({ ...start, files: { "AGENTS.md": "TOP" } });
  expect(table["developer_instructions"]).toEqual(
    expect.stringMatching(/^OWN\n\n# AGENTS\.md instructions for .*TOP/s),
  );
  expect(flags).toEqual(left);
});

test("instructions too long for a command line are cut, and it is said", () => {
  const own = { "config.toml": "project_doc_max_bytes=1000000" };
  const { table, said } = given({ files: { "AGENTS.md": '"\n'.repeat(100_000) }, own });
  expect(Buffer.byteLength(JSON.stringify(table["developer_instructions"]))).toBeLessThan(131_072);
  expect(said).toEqual([expect.stringContaining("of its instructions (command line limit); shorten AGENTS.md")]);
});

const AGENT = 'name = "owl"\ndescription = "sees"\ndeveloper_instructions = "BODY"\n';
const SERVERS = '[mcp_servers.s]\ncommand = "/bin/x"\nargs = ["-c", "a b"]\nenv = { "A.B" = "c" }\n';

test("an agent that is text comes as a private copy with the instructions in it, one with more needs trust", () => {
  const files = {
    "AGENTS.md": "TOP",
    ".codex/agents/owl.toml": AGENT,
    ".codex/agents/more.toml": `${AGENT}sandbox_mode = "read-only"\n`,
  };
  const { table, said, folder } = given({ files });
  const config_file = join(folder, "codex-agents/owl.toml");
  expect(table["agents"]).toEqual({ owl: { description: "sees", config_file } });
  expect(parse(readFileSync(config_file, "utf8"))["developer_instructions"]).toEqual(
    expect.stringMatching(/^BODY\n\n.*TOP/s),
  );
  expect(said).toEqual([expect.stringMatching(/^\.codex\/agents\/more\.toml in this repository .* signalbox trust$/)]);
});

test.each([
  ["the person's own file", { "agents/owl.toml": "" }],
  ["the person's own table", { "config.toml": '[agents.owl]\ndescription = "mine"\n' }],
])("an agent of the repository does not take the place of %s", (_, own) => {
  expect(given({ files: { ".codex/agents/owl.toml": AGENT }, own }).table).toEqual({});
});

test.each(["max_threads", "default_subagent_model", "a.b", "a b", ""])("an agent named %j is passed over", (name) => {
  const text = `name = ${JSON.stringify(name)}\ndescription = "d"\n`;
  expect(given({ files: { ".codex/agents/x.toml": text } }).table).toEqual({});
});

test("servers come when their file is trusted, but not in the place of the person's own", () => {
  const files = { ".codex/config.toml": `model = "m"\n${SERVERS}[mcp_servers.own]\ncommand = "evil"\n` };
  const own = { "config.toml": '[mcp_servers.own]\ncommand = "mine"\n' };
  const strange = given({ files, own });
  expect([strange.table, strange.said]).toEqual([{}, [expect.stringContaining("is not trusted")]]);
  const trusted = given({ files, own, trusted: [".codex/config.toml"] });
  expect(trusted.table).toEqual({
    mcp_servers: { s: { command: "/bin/x", args: ["-c", "a b"], env: { "A.B": "c" } } },
  });
  expect(trusted.said).toEqual([
    expect.stringContaining("Codex does not load the settings, hooks and rules of .codex/config.toml"),
  ]);
});

test("in a terminal neither agents nor servers are passed on: Codex asks the person itself", () => {
  const files = { ".codex/agents/owl.toml": AGENT, ".codex/config.toml": SERVERS };
  const own = { "config.toml": '[projects."$R"]\ntrust_level="untrusted"' };
  const { table, said } = given({ files, own, interactive: true, trusted: [".codex/config.toml"] });
  expect([table, said]).toEqual([{}, []]);
});

const text = (name: string, more: Partial<GivenText> = {}): GivenText => ({
  name,
  folder: "",
  description: `${name} kind`,
  fields: {},
  body: `${name} body`,
  from: `/r/.signalbox/skills/${name}/SKILL.md`,
  isOwn: false,
  ...more,
});

const agentNames = ({ agents }: Readonly<Record<string, unknown>>) => Object.keys(isRecord(agents) ? agents : {});

const NO_TEXTS: GivenTexts = { agents: [], commands: [], skills: [], instructions: [] };

test.each([false, true])("texts of .signalbox come as agents and instructions, interactive %j", (interactive) => {
  const texts = {
    ...NO_TEXTS,
    agents: [text("wren", { fields: { model: "gpt-5" } }), text("owl")],
    skills: [text("near"), text("far", { isOwn: true }), text("native")],
    instructions: [{ path: "/r/instructions.md", text: "RULES", isOwn: false }],
  };
  const files = { ".codex/agents/owl.toml": AGENT, ".agents/skills/native/SKILL.md": "" };
  const { table, said, folder } = given({
    files,
    texts,
    interactive,
    own: { "config.toml": 'developer_instructions="MINE"' },
  });
  expect(agentNames(table).toSorted()).toEqual(interactive ? ["wren"] : ["owl", "wren"]);
  const wren = parse(readFileSync(join(folder, "codex-agents/wren.toml"), "utf8"));
  expect(wren).toEqual({
    name: "wren",
    description: "wren kind",
    model: "gpt-5",
    developer_instructions: expect.stringMatching(/^wren body\n\nRULES/),
  });
  const told = JSON.stringify(table["developer_instructions"]).replaceAll("\\n", "\n").replaceAll('\\"', '"');
  expect(told).toMatch(/^"MINE\n\nRULES\n\n# Skills/);
  expect(told).toContain("- near: near kind (file: /r/.signalbox/skills/near/SKILL.md)");
  expect(told).toContain('- far: far kind\n<skill name="far">\nfar body\n</skill>');
  expect([told.includes("native"), said]).toEqual([false, []]);
});

test("more agents and skills than a command line holds are cut, and that is said", () => {
  const agents = Array.from({ length: 300 }, (_, index) => text(`a${index}`, { description: "x".repeat(1000) }));
  const skills = [text("small", { isOwn: true }), text("large", { isOwn: true, body: "x".repeat(40_000) })];
  const { table, said } = given({ files: {}, texts: { ...NO_TEXTS, agents, skills } });
  const count = agentNames(table).length;
  expect([count > 80, count < 130, JSON.stringify(table["developer_instructions"]).includes("small body")]).toEqual([
    true,
    true,
    true,
  ]);
  expect(said).toEqual([
    "Codex gets at most 32768 bytes of your own skills; put these into ~/.agents/skills: large",
    `Codex gets only the first ${count} of 300 agents (command line limit); shorten their descriptions`,
  ]);
});
