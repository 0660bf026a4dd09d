import { type ChildProcess, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { logsIn, scene, until } from "./support/native-scene.ts";
import { tempFolder } from "./support/temp-folder.ts";
import { SIGNALBOX } from "./support/run-signalbox.ts";

test("a session that is resumed keeps its acceptance check", async () => {
  const { cwd, run, server } = await scene({
    turns: [
      { text: "x", failures: [{ status: 401 }] },
      { text: "Done, I say." },
      { shell: "echo ok > proof" },
      { text: "Done." },
    ],
  });
  expect((await run(["native", "-p", "make proof", "--accept", "test -s proof"])).code).toBe(1);
  const again = await run(["sessions", "resume", "last"]);
  expect([again.code, again.stdout, existsSync(join(cwd, "proof"))]).toEqual([0, "Done.\n", true]);
  expect(server.requests.length).toBe(5);
});

test("a session that is resumed goes on with the server it was held with, unless a flag names another", async () => {
  const [held, other] = await Promise.all([
    scene({ turns: Array.from({ length: 5 }, () => ({ text: "Here." })) }),
    scene({ turns: Array.from({ length: 5 }, () => ({ text: "Elsewhere." })) }),
  ]);
  const env = {
    SIGNALBOX_MODEL: "compatible/m",
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: other.server.url,
    SIGNALBOX_BASE_URL: `${other.server.url}/v1`,
  };
  const say = async (args: readonly string[]) => (await held.run(args, { env })).stdout;
  await say(["native", "-p", "1", "--model", "anthropic/c", "--base-url", held.server.url]);
  expect(await say(["sessions", "resume", "last", "-p", "2"])).toBe("Here.\n");
  const copy = (await say(["sessions", "fork", "last"])).trim();
  expect(await say(["native", "--resume", copy, "-p", "3"])).toBe("Here.\n");
  expect(other.server.requests).toEqual([]);

  expect(await say(["sessions", "resume", copy, "-p", "4", "--base-url", other.server.url])).toBe("Elsewhere.\n");
  expect(await say(["sessions", "resume", copy, "-p", "5"])).toBe("Elsewhere.\n");
  expect(held.server.requests.length).toBe(3);
});

test("last is the session that was worked on last, which is the first of the list", async () => {
  const { run } = await scene({ turns: [{ text: "One." }, { text: "Two." }] });
  await run(["native", "-p", "the first"]);
  const [first = ""] = (await run(["sessions", "list"])).stdout.split(" ");
  await run(["native", "-p", "the second"]);
  await run(["sessions", "resume", first, "-p", "more"]);
  expect((await run(["sessions", "list"])).stdout.startsWith(first)).toBe(true);
  expect((await run(["sessions", "show", "last"])).stdout).toContain(`session ${first}\n`);
});

test("last and -c mean this folder, and a session of another one is resumed by its id with a word about it", async () => {
  const here = await scene({
    turns: [{ text: "One." }, { shell: "pwd > where.txt" }, { text: "Two." }, { text: "Three." }],
  });
  const elsewhere = tempFolder();
  await here.run(["native", "-p", "the first"]);
  const [id = ""] = (await here.run(["sessions", "list"])).stdout.split(" ");
  for (const args of [
    ["sessions", "resume", "last"],
    ["native", "-c"],
  ]) {
    const { code, stderr } = await here.run([...args, "-p", "more"], { cwd: elsewhere });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`the last of all is ${id}, in ${here.cwd}`)]);
  }
  const meant = await here.run(["sessions", "resume", id, "-p", "more"], { cwd: elsewhere });
  expect([meant.code, meant.stderr]).toEqual([0, expect.stringContaining(`this session works in ${here.cwd}\n`)]);
  expect(readFileSync(join(here.cwd, "where.txt"), "utf8")).toBe(`${here.cwd}\n`);
  const continued = await here.run(["native", "-c", "-p", "and more"]);
  expect([continued.code, continued.stdout]).toEqual([0, "Three.\n"]);
  expect(here.server.requests.at(-1)?.userTexts).toEqual(["the first", "more", "and more"]);
  expect((await here.run(["native", "-c", "--resume", id, "-p", "x"])).code).toBe(2);
});

test("the address of one provider is not used for another", async () => {
  const { server, run } = await scene({ turns: [{ text: "One." }, { text: "Two." }] });
  await run(["native", "-p", "1", "--model", "anthropic/c", "--base-url", server.url]);
  const { code, stderr } = await run(["sessions", "resume", "last", "-p", "2", "--model", "google/g"]);
  expect([code, stderr, server.requests.length]).toEqual([3, expect.stringContaining("no API key for google"), 1]);
});

/** How many times a session is killed; SIGNALBOX_TEST_KILLS=200 does it as often as a release should. */
const KILLS = Number(process.env["SIGNALBOX_TEST_KILLS"] ?? 4);

test(
  "killed with -9 at random bytes of its log, a session goes on, and nothing that had finished is done again",
  async () => {
    const steps = Array.from({ length: 6 }, (_, n) => ({ text: `Step ${n}.`, shell: `echo ${n} >> done.txt` }));
    for (let round = 0; round < KILLS; round++) {
      const { cwd, run, sessions } = await scene({ turns: [...steps, { text: "All six." }] });
      const size = () => {
        const [log] = existsSync(sessions) ? logsIn(sessions) : [];
        return log === undefined ? 0 : statSync(join(sessions, log)).size;
      };
      // From the moment on at which the prompt is in the log.
      const at = 600 + Math.floor((((round * 7919 + 4729) % 1000) / 1000) * 4500);
      const during = async (child: ChildProcess) => {
        const closed = once(child, "close");
        let ended = false;
        void closed.then(() => (ended = true));
        await until(() => ended || size() >= at);
        child.kill("SIGKILL");
        await closed;
      };
      await run(["native", "-p", "six steps"], { during });
      const again = await run(["sessions", "resume", "last"]);
      expect({ round, at, code: again.code }).toEqual({ round, at, code: 0 });
      const shown = await run(["sessions", "show", "last", "--json"]);
      const { history, rested } = Shown.parse(JSON.parse(shown.stdout));
      const lost = history.filter(
        (text) => text.includes("It may have taken effect") || text.includes("did not run"),
      ).length;
      const lines = readFileSync(join(cwd, "done.txt"), "utf8").trim().split("\n");
      expect({ round, at, rested, repeated: lines.length - new Set(lines).size }).toEqual({
        round,
        at,
        rested: "answered",
        repeated: 0,
      });
      expect(lines.length).toBeGreaterThanOrEqual(6 - lost);
    }
  },
  60_000 + KILLS * 10_000,
);

const Shown = z.object({
  rested: z.string(),
  history: z
    .array(z.looseObject({ results: z.array(z.looseObject({ text: z.string() })).optional() }))
    .transform((messages) => messages.flatMap(({ results = [] }) => results.map(({ text }) => text))),
});

test("a prompt is in the log before anything else of the session happens, so a kill never loses it", async () => {
  const { home, run, server } = await scene({ turns: [{ text: "Hello." }] });
  const [hooks, begun] = [join(home, ".signalbox/hooks"), join(home, "begun")];
  mkdirSync(hooks, { recursive: true, mode: 0o700 });
  const hook = join(hooks, "session-start");
  writeFileSync(hook, `#!/bin/sh\ntouch '${begun}'\nwhile test -e '${begun}'; do sleep 0.05; done\n`, { mode: 0o755 });
  const during = async (child: ChildProcess) => {
    await until(() => existsSync(begun));
    child.kill("SIGKILL");
  };
  await run(["native", "-p", "say hello"], { during });
  expect(server.requests.length).toBe(0);
  rmSync(begun);
  rmSync(hook);
  expect((await run(["sessions", "show", "last"])).stdout).toContain("waiting 1 prompt\n");
  const again = await run(["sessions", "resume", "last"]);
  expect([again.code, again.stdout]).toEqual([0, "Hello.\n"]);
  expect(server.requests.map(({ userTexts }) => userTexts.at(-1))).toEqual(["say hello"]);
});

test("sessions can be shown, forked and exported, without the secrets that were read", async () => {
  const { cwd, run } = await scene({
    turns: [{ calls: [{ name: "read", input: { path: "notes.txt" } }] }, { text: "Read." }],
  });
  const secret = `ghp_${"a1B2".repeat(9)}`;
  writeFileSync(join(cwd, "notes.txt"), `the token is ${secret}\n`);
  await run(["native", "-p", "read notes.txt"]);
  const shown = await run(["sessions", "show", "last"]);
  expect(shown.stdout).toMatch(
    /^session .*\nfolder .*\nmodel {3}compatible\/m\nused .*\nstate {3}answered\nwaiting 0 prompts\n/,
  );
  const exported = await run(["sessions", "export", "last"]);
  expect([exported.stdout.includes("the token is"), exported.stdout.includes(secret)]).toEqual([true, false]);
  const forked = await run(["sessions", "fork", "last"]);
  const list = await run(["sessions", "list", "--json"]);
  expect(JSON.parse(list.stdout)).toContainEqual(expect.objectContaining({ id: forked.stdout.trim() }));
});

test("a session that is open cannot be resumed by another process, and one that was edited is not continued", async () => {
  const { cwd, run, sessions } = await scene({ turns: [{ shell: "touch begun; sleep 600" }, { text: "ok" }] });
  const during = async (child: ChildProcess) => {
    await until(() => existsSync(join(cwd, "begun")));
    const second = await run(["sessions", "resume", "last", "-p", "me too"]);
    expect([second.code, second.stderr]).toEqual([
      3,
      expect.stringContaining("this session is open in another process"),
    ]);
    child.kill("SIGINT");
  };
  await run(["native", "-p", "wait"], { during });
  const path = join(sessions, logsIn(sessions)[0] ?? "");
  writeFileSync(path, readFileSync(path, "utf8").replace("sleep 600", "sleep 601"));
  const edited = await run(["sessions", "resume", "last", "-p", "go on"]);
  expect([edited.code, edited.stderr]).toEqual([2, expect.stringContaining("its checksum is wrong")]);
  expect(edited.stderr).toContain("signalbox sessions fork");
});

test.each([
  ["was changed", (line: string) => line.replace('"model":"', '"model":"other-'), "in line 1, its checksum is wrong"],
  ["is no record", () => "nonsense", "in line 1, it is not a session record"],
  ["is of a newer signalbox", asNewer, "in line 1, it was written by a newer signalbox (format 3)"],
  ["was never finished", () => undefined, "it has no complete record"],
])("a session whose first line %s is refused with the reason, whatever model is chosen", async (_, change, because) => {
  const { run, sessions } = await scene({ turns: [{ text: "ok" }] });
  await run(["native", "-p", "hello"]);
  const path = join(sessions, logsIn(sessions)[0] ?? "");
  const [first = "", ...rest] = readFileSync(path, "utf8").split("\n");
  const changed = change(first);
  const damaged = changed === undefined ? first.slice(0, 40) : [changed, ...rest].join("\n");
  writeFileSync(path, damaged);
  for (const env of [{ SIGNALBOX_MODEL: "" }, {}]) {
    for (const way of [
      ["sessions", "resume", "last"],
      ["native", "--resume", "last"],
    ]) {
      const { code, stderr } = await run([...way, "-p", "go on"], { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining(because)]);
    }
  }
  expect(readFileSync(path, "utf8")).toBe(damaged);
});

/** The line as a signalbox with another format would have written it. */
function asNewer(line: string): string {
  const body = `${line.replace('"version":2', '"version":3').replace(/,"sum":"[0-9a-f]{32}"\}$/, "")}}`;
  const sum = createHash("sha256").update("0".repeat(32)).update(body).digest("hex").slice(0, 32);
  return `${body.slice(0, -1)},"sum":"${sum}"}`;
}

test("a log that cannot grow is said, and can be gone on with when there is room", async () => {
  const { cwd, home, run, server } = await scene({ turns: [{ text: "Hello." }] });
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    SIGNALBOX_MODEL: "compatible/m",
    SIGNALBOX_BASE_URL: `${server.url}/v1`,
  };
  const full = spawnSync("sh", ["-c", `ulimit -f 2; exec '${SIGNALBOX}' native -p "$(printf %03000d 0)"`], {
    cwd,
    env,
    encoding: "utf8",
  });
  expect([full.status, full.stderr]).toEqual([1, expect.stringContaining("cannot write the session log (EFBIG)")]);
  const again = await run(["sessions", "resume", "last", "-p", "hello"]);
  expect([again.code, again.stdout]).toEqual([0, "Hello.\n"]);
});

test("what can be read of a damaged session is shown and exported, and the damage is told with its place and the way out", async () => {
  const { run, sessions } = await scene({ turns: [{ text: "First." }, { text: "Second." }] });
  await run(["native", "-p", "one"]);
  await run(["sessions", "resume", "last", "-p", "two"]);
  const path = join(sessions, logsIn(sessions)[0] ?? "");
  const id = basename(path, ".jsonl");
  writeFileSync(path, readFileSync(path, "utf8").replace("Second.", "Sekond."));
  const before = readFileSync(path, "utf8").split("Sekond.")[0]?.split("\n").length ?? 0;

  for (const args of [["show"], ["export"], ["show", "--json"], ["export", "--json"]]) {
    const { code, stdout, stderr } = await run(["sessions", ...args, id]);
    expect([code, stdout.includes("First."), stdout.includes("kond.")]).toEqual([2, true, false]);
    expect(stderr).toBe(
      `signalbox: cannot read the whole session: in line ${before}, its checksum is wrong: it, or a line before it, was changed\n` +
        `  where: ${path}\n` +
        `  fix: continue a copy of the ${before - 1} records before it: signalbox sessions fork ${id}\n`,
    );
  }
  expect((await run(["sessions", "show", (await run(["sessions", "fork", id])).stdout.trim()])).code).toBe(0);
});

test("a log without one readable record is told as damaged by sessions show", async () => {
  const { run, sessions } = await scene({ turns: [{ text: "Hello." }] });
  await run(["native", "-p", "hello"]);
  const path = join(sessions, logsIn(sessions)[0] ?? "");
  writeFileSync(path, `what is this\n${readFileSync(path, "utf8")}`);
  const { code, stdout, stderr } = await run(["sessions", "show", "last"]);
  expect([code, stdout]).toEqual([2, expect.stringContaining("state   damaged in line 1")]);
  expect(stderr).toContain(`cannot read the whole session: in line 1, it is not a session record\n  where: ${path}\n`);
});
