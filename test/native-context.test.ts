import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { sha256 } from "../src/lib/json/sha256.ts";
import { git, writeFiles } from "./support/git-repository.ts";
import { logsIn, scene } from "./support/native-scene.ts";

/** What `context --json` prints, as far as these tests compare it. */
const View = z.object({
  parts: z.array(z.object({ name: z.string(), bytes: z.number() })),
  loaded: z.array(z.object({ names: z.array(z.string()), when: z.string(), bytes: z.number(), sha256: z.string() })),
  skills: z.array(z.object({ name: z.string() })),
  notLoaded: z.array(z.object({ name: z.string(), why: z.string() })),
});
const Request = z.object({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
});
const ContextRecord = z.object({
  type: z.literal("context"),
  loaded: z.array(z.object({ names: z.array(z.string()), sha256: z.string(), bytes: z.number() })),
  notLoaded: z.array(z.object({ name: z.string(), why: z.string() })),
});

interface Layout {
  /** Names that begin with `~/` are in the home. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Links in the repository, by their path. */
  readonly links?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the start, below the repository. */
  readonly from?: string;
  /** The instructions that the model must get, by their names. */
  readonly expected: readonly string[];
}

const glob = (pattern: string, text: string) => `---\napplyTo: "${pattern}"\n---\n${text}`;
const large = (letter: string) => letter.repeat(60_000);

const LAYOUTS: Readonly<Record<string, Layout>> = {
  "nothing at all": { expected: [] },
  "one AGENTS.md": { files: { "AGENTS.md": "Use tabs.\n" }, expected: ["AGENTS.md"] },
  "three names of one file": {
    files: { "AGENTS.md": "Use tabs." },
    links: { "CLAUDE.md": "AGENTS.md", "GEMINI.md": "AGENTS.md" },
    expected: ["AGENTS.md, CLAUDE.md, GEMINI.md"],
  },
  "the user's own and the repository's": {
    files: {
      "~/.copilot/copilot-instructions.md": "Mine.",
      "~/.signalbox/instructions.md": "Mine too.",
      ".signalbox/instructions.md": "Ours.",
      ".github/copilot-instructions.md": "Theirs.",
    },
    expected: [
      "~/.copilot/copilot-instructions.md",
      "~/.signalbox/instructions.md",
      ".signalbox/instructions.md",
      ".github/copilot-instructions.md",
    ],
  },
  "instructions for some paths and for all": {
    files: {
      ".github/instructions/all.instructions.md": glob("**", "All."),
      ".github/instructions/ts.instructions.md": glob("**/*.ts", "TypeScript."),
      ".github/instructions/deep/none.instructions.md": "No front matter.",
    },
    expected: [".github/instructions/all.instructions.md", ".github/instructions/deep/none.instructions.md"],
  },
  "nested files, started at the top": {
    files: { "AGENTS.md": "Top.", "api/AGENTS.md": "Api.", "web/AGENTS.md": "Web." },
    expected: ["AGENTS.md"],
  },
  "nested files, started below": {
    files: { "AGENTS.md": "Top.", "api/AGENTS.md": "Api.", "web/AGENTS.md": "Web." },
    from: "api",
    expected: ["AGENTS.md", "api/AGENTS.md"],
  },
  "imports, in a circle and out of the repository": {
    files: {
      "CLAUDE.md": "See @docs/style.md and @/etc/hostname and @~/.ssh/config",
      "docs/style.md": "Style. @../CLAUDE.md",
    },
    expected: ["CLAUDE.md", "docs/style.md"],
  },
  "folders that the environment names": {
    files: {
      "~/extra/AGENTS.md": "Extra.",
      "~/extra/.github/instructions/x.instructions.md": "X.",
      "AGENTS.md": "Top.",
    },
    env: { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: "~/extra,relative" },
    expected: ["AGENTS.md", "~/extra/AGENTS.md", "~/extra/.github/instructions/x.instructions.md"],
  },
  "hostile files beside a good one": {
    files: {
      "AGENTS.md": "Good.",
      "GEMINI.md": Buffer.from([0x7f, 0, 1]),
      ".github/copilot-instructions.md": Buffer.alloc(5_000_000, "x"),
    },
    links: { "CLAUDE.md": "/etc/hostname", ".signalbox/instructions.md": "instructions.md" },
    expected: ["AGENTS.md"],
  },
  "more than fits": {
    files: { "AGENTS.md": large("a"), "CLAUDE.md": large("b"), "GEMINI.md": large("c") },
    expected: ["AGENTS.md", "CLAUDE.md"],
  },
  "other encodings, and a text that closes tags": {
    files: { "AGENTS.md": Buffer.from("\ufeffGrüße", "utf16le"), "CLAUDE.md": "a </instructions> b" },
    expected: ["AGENTS.md", "CLAUDE.md"],
  },
  "skills too": {
    files: { "AGENTS.md": "Top.", ".claude/skills/review/SKILL.md": "---\nname: review\ndescription: reviews\n---\nB" },
    expected: ["AGENTS.md"],
  },
};

async function laidOut({ files = {}, links = {}, env = {}, from = "." }: Layout) {
  const opened = await scene({ turns: [{ text: "Done." }] });
  for (const [path, content] of Object.entries(files))
    writeFiles(path.startsWith("~/") ? opened.home : opened.cwd, { [path.replace("~/", "")]: content });
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(join(opened.cwd, dirname(path)), { recursive: true });
    symlinkSync(target, join(opened.cwd, path));
  }
  return { ...opened, options: { cwd: join(opened.cwd, from), env } };
}

const blocks = (system: string) =>
  [...system.matchAll(/<instructions source="(.*)">\n([^]*?)\n<\/instructions>/g)].map(([, names, text = ""]) => ({
    names,
    sha256: sha256(text.replaceAll("&lt;", "<")),
  }));

test.each(Object.entries(LAYOUTS))("what context says is what the model gets: %s", async (_, layout) => {
  const { run, server, sessions, options } = await laidOut(layout);
  const told = await run(["context", "--json"], options);
  expect([told.code, told.stderr, server.requests.length]).toEqual([0, "", 0]);
  const view = View.parse(JSON.parse(told.stdout));
  expect((await run(["native", "-p", "go"], options)).code).toBe(0);

  const { messages, tools } = Request.parse(server.requests[0]?.body);
  const system = z.string().parse(messages[0]?.content);
  const start = view.loaded.filter(({ when }) => when === "start");
  const claimed = start.map((each) => ({ names: each.names.join(", "), sha256: each.sha256 }));
  expect(claimed.map(({ names }) => names)).toEqual(layout.expected);
  expect(blocks(system)).toEqual(claimed);
  // Everything before the last words, which differ when nobody can be asked.
  const before = system.slice(0, system.indexOf("\n\nNobody watches this session"));
  const parts = view.parts.filter(({ name }) => name !== "last words");
  expect(Buffer.byteLength(before)).toBe(parts.reduce((sum, { bytes }) => sum + bytes + 2, -2));
  expect(tools.some((tool) => tool.function.name === "skill")).toBe(view.skills.length > 0);

  const [log = ""] = logsIn(sessions);
  const lines = readFileSync(join(sessions, log), "utf8").split("\n");
  const record = ContextRecord.parse(JSON.parse(lines.find((line) => line.includes('"type":"context"')) ?? ""));
  expect(record.loaded.filter(({ names }) => names[0] !== "skills")).toEqual(
    start.map(({ names, sha256: hash, bytes }) => ({ names, sha256: hash, bytes })),
  );
  expect(record.notLoaded).toEqual(view.notLoaded);
});

test("a first request without instructions is small", async () => {
  const { run, server, options } = await laidOut({ files: { "src/a.ts": "x" }, expected: [] });
  expect((await run(["native", "-p", "go"], options)).code).toBe(0);
  expect(JSON.stringify(server.requests[0]?.body).length).toBeLessThan(8 * 1024);
});

test("what is not loaded and what looks like an attack is said once", async () => {
  const attack = z
    .object({ text: z.string() })
    .parse(JSON.parse(readFileSync(join(import.meta.dirname, "fixtures/memory-order.json"), "utf8"))).text;
  const { run, options } = await laidOut({ files: { "AGENTS.md": attack, "GEMINI.md": "\0" }, expected: [] });
  const { code, stderr } = await run(["native", "-p", "go"], options);
  expect([code, stderr.split("\n")]).toEqual([
    0,
    [
      "signalbox: not loaded: GEMINI.md (not a text file); details: signalbox context",
      "signalbox: AGENTS.md may try to turn the agent against you or its rules; read it before you rely on the result",
      "",
    ],
  ]);
});

test("a touched file brings its instructions into the next request, and the log says so, also after a resume", async () => {
  const { cwd, run, server, sessions } = await scene({
    turns: [{ calls: [{ name: "read", input: { path: "api/x.ts" } }] }, { text: "Done." }],
    after: { text: "Done." },
  });
  const typed = ".github/instructions/ts.instructions.md";
  writeFiles(cwd, { "api/x.ts": "x", "api/AGENTS.md": "Api.", [typed]: glob("**/*.ts", "Typed.") });
  const told = View.parse(JSON.parse((await run(["context", "--json"])).stdout));
  expect(told.loaded.map(({ names, when }) => [names, when])).toEqual([
    [[typed], "touch"],
    [["api/AGENTS.md"], "touch"],
  ]);
  expect((await run(["native", "-p", "go"])).code).toBe(0);
  expect((await run(["sessions", "resume", "last", "-p", "more"])).code).toBe(0);
  const texts = server.requests.map(({ body }) =>
    Request.parse(body).messages.flatMap(({ content }) =>
      blocks(JSON.stringify(content).replaceAll("\\n", "\n").replaceAll('\\"', '"')),
    ),
  );
  const both = [
    { names: typed, sha256: sha256("Typed.") },
    { names: "api/AGENTS.md", sha256: sha256("Api.") },
  ];
  expect(texts).toEqual([[], both, both]);
  const [log = ""] = logsIn(sessions);
  const records = readFileSync(join(sessions, log), "utf8")
    .split("\n")
    .filter((line) => line.includes('"type":"context"'))
    .map((line) => ContextRecord.parse(JSON.parse(line)).loaded.flatMap(({ names }) => names));
  expect(records).toEqual([[], [typed, "api/AGENTS.md"], []]);
});

test("a skill is read when it is used", async () => {
  const { cwd, run, server } = await scene({
    turns: [{ calls: [{ name: "skill", input: { name: "review" } }] }, { text: "Done." }],
    after: { text: "Done." },
  });
  writeFiles(cwd, {
    ".claude/skills/review/SKILL.md": "---\ndescription: reviews\n---\nSECOND READING",
    ".claude/skills/review/list.txt": "",
  });
  expect((await run(["native", "-p", "go"])).code).toBe(0);
  const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
  expect([first?.includes("- review: reviews"), first?.includes("SECOND READING")]).toEqual([true, false]);
  expect(second).toContain("SECOND READING\\n\\n[Other files of this skill");
  await run(["native", "-p", "go", "--disable-skill", "review"]);
  await run(["native", "-p", "go", "--deny-tool", "skill"]);
  const later = server.requests.slice(2).map(({ body }) => Request.parse(body));
  expect(later.length).toBe(4);
  for (const { messages, tools } of later)
    expect(JSON.stringify([messages[0], tools])).not.toMatch(/review|"name":"skill"/);
});

test("what a session stores is in the next one, until it is forgotten", async () => {
  const store = { name: "store_memory", input: { text: "The tests need port 5433." } };
  const { cwd, run, server } = await scene({
    scenes: [
      { when: { contains: "remember it" }, turns: [{ calls: [store] }, { text: "Done." }] },
      { turns: [{ text: "Done." }] },
    ],
  });
  writeFiles(cwd, { "sub/x": "" });
  git(cwd, "add", "-A");
  await run(["native", "-p", "remember it"]);
  await run(["native", "-p", "go"]);
  const bodies = () => server.requests.map(({ body }) => JSON.stringify(Request.parse(body).messages[0]));
  expect(bodies().map((body) => body.includes("- The tests need port 5433."))).toEqual([false, false, true]);
  expect((await run(["context"])).stdout).toContain("1 fact; see: signalbox memory list");
  expect((await run(["memory", "list"], { cwd: join(cwd, "sub") })).stdout).toBe("1. The tests need port 5433.\n");
  expect((await run(["memory", "forget", "2"])).code).toBe(2);
  expect((await run(["memory", "forget"])).code).toBe(2);
  expect((await run(["memory", "forget", "1", "--all"])).code).toBe(2);
  expect((await run(["memory", "forget", "1"])).stdout).toBe("forgot: The tests need port 5433.\n");
  expect((await run(["memory", "list", "--json"])).stdout).toBe(
    `${JSON.stringify({ workspace: cwd, memories: [] })}\n`,
  );
  await run(["native", "-p", "again"]);
  expect(bodies().at(-1)).not.toContain("5433");
});

test("the screen of context is plain and fits a terminal; a wrong folder is a usage error", async () => {
  const { cwd, run } = await scene({ turns: [{ text: "Done." }] });
  writeFiles(cwd, {
    "AGENTS.md": "Top.",
    "api/AGENTS.md": "Api.",
    ".github/instructions/ts.instructions.md": glob("**/*.ts", "T"),
    "GEMINI.md": "\0",
    ".claude/skills/review/SKILL.md": `---\ndescription: ${"reviews ".repeat(40)}\n---\nB`,
    "\u001b[31m.md": "",
  });
  const { code, stdout } = await run(["context", cwd], { cwd: "/" });
  expect([
    code,
    stdout.includes("\u001b"),
    stdout.split("\n").filter((line) => line.length > 80 && !line.includes(cwd)),
  ]).toEqual([0, false, []]);
  for (const text of [
    "AGENTS.md  ",
    "for **/*.ts",
    "for api/**",
    "GEMINI.md\n      not a text file",
    "  review  ",
    "in all",
  ])
    expect(stdout).toContain(text);
  const wrong = await run(["context", "missing"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("pass an existing folder")]);
});
