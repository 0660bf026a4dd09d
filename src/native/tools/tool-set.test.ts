import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../contract/tool.ts";
import type { AuditEntry } from "../../contract/verdict.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import { readMemories } from "../knowledge/memories.ts";
import { filterTools, TOOL_NAMES } from "./tool-names.ts";
import { openToolSet } from "./tool-set.ts";
import type { Workplace } from "./workplace.ts";

let workspace = "";
let home = "";
let log: AuditEntry[] = [];
let questions: PermissionQuestion[] = [];
let outside: string[] = [];

beforeEach(() => {
  workspace = tempRepository();
  home = tempFolder();
  [log, questions, outside] = [[], [], []];
});

const signal = new AbortController().signal;
const never = () => Promise.reject(new Error("not asked"));

/** A tool set over real files; `answers` are the person's answers, in order. */
function open(
  answers?: readonly PermissionAnswer[],
  user: Partial<Parameters<typeof openToolSet>[1]> = {},
  place: Partial<Workplace> = {},
) {
  const left = [...(answers ?? [])];
  const paths = { ...PRESETS.default.paths, readRoots: ["."], writeRoots: ["."] };
  const record = { append: (entry: AuditEntry) => void log.push(entry), redact: (text: string) => text };
  const workplace: Workplace = {
    sessionId: "s",
    policy: { ...PRESETS.default, paths, version: 1, workspaceRoot: workspace, home },
    home: join(home, ".signalbox"),
    environment: process.env,
    privateFolder: tempFolder(),
    containment: UNCONTAINED,
    languageServers: undefined,
    recordAs: (agent) => ({ session: "s", agent, ...record }),
    auditHead: () => null,
    isTainted: () => false,
    onOutsideText: (text, channel) => void outside.push(`${channel}: ${text}`),
    approved: new Set(),
    filters: [],
    beforeChange: { name: "nothing" },
    buffers: undefined,
    imageLimits: () => undefined,
    warn: () => {},
    async [Symbol.asyncDispose]() {},
    ...place,
  };
  const set = openToolSet(workplace, {
    mode: { current: "ask" },
    askUser: undefined,
    skills: [],
    askPerson:
      answers === undefined
        ? undefined
        : async (question) => {
            questions.push(question);
            return left.shift() ?? "reject";
          },
    ...user,
  });
  onTestFinished(() => set[Symbol.asyncDispose]());
  let calls = 0;
  return {
    ...set,
    /** One call as the engine makes it: the guard, then the tool. */
    call: async (name: string, input: Record<string, unknown>) => {
      const id = `call-${++calls}`;
      const permission = await set.permit({ id, name, input }, signal);
      if (permission.verdict !== "allow") return `${permission.verdict}: ${permission.because}`;
      const tool = set.tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      const output = await tool.run(tool.input.parse(input), {
        callId: id,
        signal,
        progress: () => {},
        emit: () => {},
      });
      return output.text;
    },
  };
}

/** A text that tries to steer an agent. */
function readOrder(): string {
  const file = join(import.meta.dirname, "../../../test/fixtures/memory-order.json");
  return z.object({ text: z.string() }).parse(JSON.parse(readFileSync(file, "utf8"))).text;
}

describe("the guard in front of the tools", () => {
  test("lets ordinary work through and writes it down first", async () => {
    const { call } = open();
    writeFileSync(join(workspace, "a"), "one\n");
    expect([await call("read", { path: "a" }), await call("bash", { command: "cat a" })]).toEqual(["1\tone", "one"]);
    expect(log.map(({ tool, verdict }) => `${tool} ${verdict}`)).toEqual(["read allow", "bash allow"]);
  });

  test("denies what the floors forbid, in words for the model", async () => {
    const { call } = open(["once"]);
    expect(await call("write", { path: ".mcp.json", content: "{}" })).toMatch(/^deny: Blocked .*floor:write/);
    expect(await call("bash", { command: "echo x > .git/hooks/pre-commit" })).toMatch(/^deny: /);
    expect([questions, existsSync(join(workspace, ".mcp.json"))]).toEqual([[], false]);
  });

  test("denies what would be asked when nobody is there", async () => {
    const { call } = open();
    expect(await call("bash", { command: "some-unknown-program" })).toMatch(
      /^deny: .* Nobody is available to approve it\.$/,
    );
  });

  test("asks a person, and their word is in the log", async () => {
    const { call } = open(["once", "reject"]);
    expect(await call("bash", { command: "./build.sh" })).toContain("[exit code 127]");
    expect(await call("bash", { command: "./build.sh" })).toBe("reject: the person said no");
    const QUESTION = "no rule covers this command. To stop being asked: signalbox guard allow './build.sh'";
    expect(questions.map(({ because, canRemember }) => ({ because, canRemember }))).toEqual([
      { because: QUESTION, canRemember: true },
      { because: QUESTION, canRemember: true },
    ]);
    expect(log.map(({ verdict, code }) => `${verdict} ${code}`)).toEqual([
      "ask no-rule",
      "allow person-once",
      "ask no-rule",
      "deny person-reject",
    ]);
  });

  test("remembers a yes for the session, for the same call alone", async () => {
    const { call } = open(["session", "reject"]);
    await call("bash", { command: "./build.sh" });
    expect(await call("bash", { command: "./build.sh" })).toContain("[exit code 127]");
    expect(await call("bash", { command: "./build.sh --all" })).toBe("reject: the person said no");
  });

  test("does not offer to remember what only the run will show, nor after text from outside", async () => {
    const { call } = open(["session", "session"]);
    await call("bash", { command: './build.sh "$(cat a)"' });
    await open(["session"], {}, { isTainted: () => true }).call("bash", { command: "./build.sh" });
    expect(questions.map(({ canRemember }) => canRemember)).toEqual([false, false]);
  });

  test("denies everything when the log cannot be written", async () => {
    const append = () => {
      throw new Error("disk full");
    };
    const recordAs = (agent: string) => ({ session: "s", agent, append, redact: (text: string) => text });
    const { call } = open(["once"], {}, { recordAs });
    writeFileSync(join(workspace, "a"), "one\n");
    expect(await call("read", { path: "a" })).toMatch(/^deny: .*could not be recorded.*disk full/);
  });

  test("a path that a person allows outside is read; a link that moves after the yes is not", async () => {
    const outside = tempFolder();
    writeFileSync(join(outside, "one"), "first");
    const { call, permit, tools } = open(["once", "once"]);
    expect(await call("read", { path: join(outside, "one") })).toBe("1\tfirst");
    symlinkSync(join(outside, "one"), join(workspace, "link"));
    const input = { path: "link" };
    expect(await permit({ id: "x", name: "read", input }, signal)).toEqual({ verdict: "allow" });
    writeFileSync(join(outside, "two"), "second");
    symlinkSync(join(outside, "two"), join(workspace, "other"));
    renameSync(join(workspace, "other"), join(workspace, "link"));
    const tool = tools.find(({ name }) => name === "read");
    const context = { callId: "x", signal, progress: () => {}, emit: () => {} };
    await expect(tool?.run(tool.input.parse(input), context)).rejects.toThrow("when it was judged");
  });

  test("output that was too long can be read from its file", async () => {
    const { call } = open();
    const text = await call("bash", { command: "seq 1 100000" });
    const [, file = ""] = /all of them are in (\S+) …\]/.exec(text) ?? [];
    expect(await call("read", { path: file, offset: 50_000, limit: 1 })).toContain("50000\t50000\n");
  });
});

describe("memory", () => {
  test("keeps facts for later sessions, each once", async () => {
    const { call } = open();
    await call("store_memory", { text: "Tests run with  npm test" });
    await call("store_memory", { text: "Tests run with npm test" });
    expect(readMemories(join(home, ".signalbox"), workspace)).toEqual(["Tests run with npm test"]);
  });

  test("takes no orders, and nothing while text from outside counts", async () => {
    expect(await open().call("store_memory", { text: readOrder() })).toMatch(
      /^not stored: it reads like an instruction/,
    );
    expect(await open(["once"], {}, { isTainted: () => true }).call("store_memory", { text: "A fact" })).toMatch(
      /^not stored: text from outside/,
    );
    expect(readMemories(join(home, ".signalbox"), workspace)).toEqual([]);
  });
});

function ownSkill() {
  const folder = tempFolder();
  writeFileSync(join(folder, "SKILL.md"), "BODY");
  const file = join(folder, "SKILL.md");
  return { name: "mine", description: "d", file, folder, isOwn: true, read: () => ({ text: "BODY" }) };
}

describe("the other tools", () => {
  test("docs give the list of topics, one page, and no other file", async () => {
    const { call } = open();
    expect(await call("signalbox_docs", {})).toMatch(/^topics: .*guard.*sandbox/);
    expect(await call("signalbox_docs", { topic: "sandbox" })).toMatch(/^# The sandbox/);
    expect(await call("signalbox_docs", { topic: "decisions" })).toMatch(/^unknown topic/);
  });

  test("a question goes to the person; without one the tool is not there", async () => {
    const ask = async ({ question }: { readonly question: string }) => `yes to ${question}`;
    expect(await open(undefined, { askUser: ask }).call("ask_user", { question: "Really?" })).toBe(
      "The person answered: yes to Really?",
    );
    expect(open().tools.map(({ name }) => name)).toEqual(
      "read write edit bash read_bash stop_bash grep glob fetch todo report_intent store_memory signalbox_docs".split(
        " ",
      ),
    );
  });

  test("a session that can have every tool has those that are listed", () => {
    const environment = { ...process.env, SIGNALBOX_SEARCH_URL: "http://127.0.0.1:9/" };
    const languageServers = { endings: [], ask: never, newErrors: never, [Symbol.asyncDispose]: never };
    const { tools } = open(
      undefined,
      { askUser: async () => "", skills: [ownSkill()] },
      { environment, languageServers },
    );
    // The session brings the last two.
    expect([...tools.map(({ name }) => name), "task", "task_complete"]).toEqual(TOOL_NAMES);
  });

  test("the files of a user's skill may be read, and without it they may not", async () => {
    const skill = ownSkill();
    writeFileSync(join(skill.folder, "more.md"), "MORE");
    const { call } = open(undefined, { skills: [skill] });
    expect(await call("skill", { name: "mine" })).toContain("BODY");
    expect(await call("read", { path: join(skill.folder, "more.md") })).toBe("1\tMORE");
    expect(await open().call("read", { path: join(skill.folder, "more.md") })).toContain(
      "outside the folders that can be read",
    );
  });

  test("filters leave what every one allows; a denial wins", () => {
    const { tools } = open();
    const names = filterTools(tools, [
      { allow: ["*bash", "read"] },
      { deny: ["stop_*"] },
      { isToolEnabled: (name) => name !== "read" },
    ]);
    expect(names.map(({ name }) => name)).toEqual(["bash", "read_bash"]);
  });

  test("all names and schemas fit every wire and little of the first request", () => {
    const offers = open(undefined, { askUser: async () => "" }).tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    expect(offers.find(({ name }) => name === "read_bash")).toEqual({
      name: "read_bash",
      description: "Get new output of an async command, and whether it is still running.",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string" },
          wait_seconds: { type: "number", description: "how long to wait for it to end; default: 5" },
        },
        required: ["id"],
      },
    });
    expect(offers.filter(({ name }) => !/^\w{1,64}$/.test(name))).toEqual([]);
    expect(JSON.stringify(offers).length).toBeLessThan(4800);
  });

  test("the files of git are not among those that are found", async () => {
    writeFileSync(join(workspace, "a"), "bare");
    const { call } = open();
    expect([await call("glob", { pattern: "**/*" }), await call("grep", { pattern: "bare", glob: "**" })]).toEqual([
      "a",
      "a:1:bare",
    ]);
  });

  test("the text of a page is screened", async () => {
    const server = createServer((_, response) => response.setHeader("content-type", "text/plain").end(readOrder()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect(await open().call("fetch", { url: `http://127.0.0.1:${port}/` })).toContain(
      "The following comes from outside",
    );
    expect(outside).toEqual([expect.stringMatching(/^web_page: /)]);
  });
});
