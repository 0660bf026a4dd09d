import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { isAlive } from "../support/is-alive.ts";
import { isOnPath } from "../support/is-on-path.ts";
import { killIfAlive } from "../support/kill-if-alive.ts";
import { SIGNALBOX, signalbox } from "../support/run-signalbox.ts";
import { WAIT } from "../support/tmux-terminal.ts";
import { CONTAINED, containedAgent, type ContainedName } from "./contained-agent.ts";

const hasSandbox = isOnPath("bwrap");

async function run(words: readonly string[], place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
  const [program = "", ...args] = words;
  const child = spawn(program, args, { ...place, stdio: ["ignore", "pipe", "pipe"] });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await new Promise<number | null>((done) => child.on("close", done));
  const [stdout, stderr] = await output;
  return { code, stdout, stderr };
}

/** A command line that runs where bubblewrap is not there. */
const WITHOUT = ["unshare", "--map-root-user", "--mount", "sh", "-c"];
const HIDE =
  'for place in /usr/bin/bwrap /bin/bwrap; do test ! -e "$place" || mount --bind /dev/null "$place"; done; exec "$@"';
const canHide =
  hasSandbox && spawnSync("unshare", ["--map-root-user", "--mount", "sh", "-c", `${HIDE}`, "sh", "true"]).status === 0;

test.skipIf(!canHide).each(CONTAINED)(
  "without bubblewrap, and with no other form allowed, %s says `contained: no` and works by the rules; where a sandbox is required, it does not start",
  async (name) => {
    await using agent = await containedAgent(name, {
      turns: [{ shell: "echo > made" }, { text: "all done" }],
    });
    const { cwd, env, home } = agent;
    mkdirSync(join(home, ".signalbox"), { recursive: true, mode: 0o700 });
    const policy = "version: 1\nsandbox: { level: auto, landlock: deny }\n";
    writeFileSync(join(home, ".signalbox/policy.yaml"), policy, { mode: 0o600 });
    const launch = (...flags: readonly string[]) => run([...WITHOUT, HIDE, "sh", SIGNALBOX, ...flags], { cwd, env });
    const words = name === "native" ? ["native", "-p", "work"] : ["run", name, "work"];
    const { stderr } = await launch(...words);
    expect(stderr).toContain("contained: no");
    expect(existsSync(join(cwd, "made"))).toBe(true);
    const required = await launch("run", name, "work", "--require-sandbox");
    expect(required.code).toBe(3);
  },
);

const NOBODY = 65_534;

test.skipIf(!hasSandbox || process.getuid?.() !== 0).each(CONTAINED)(
  "%s works in its sandbox for an ordinary user, and keeps its folder, its input and its temporary files",
  async (name) => {
    const command = "cd sub && pwd > where && cat > input; id -u > user; echo kept > /tmp/kept; sh ../look.sh > key";
    await using agent = await containedAgent(name, {
      turns: [{ shell: command }, { shell: "cat /tmp/kept > sub/later" }, { text: "all done" }],
    });
    const { cwd, env, home } = agent;
    mkdirSync(join(cwd, "sub"));
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, ".ssh/key"), "a key");
    writeFileSync(join(cwd, "look.sh"), 'cat "$HOME/.ssh/key"\n');
    for (const folder of [cwd, home, env["TMPDIR"] ?? ""]) spawnSync("chown", ["-R", `${NOBODY}:${NOBODY}`, folder]);
    const as = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
    const outcome = await run([...as, SIGNALBOX, name, "-p", "work"], { cwd, env });
    const read = (file: string) => existsSync(join(cwd, "sub", file)) && readFileSync(join(cwd, "sub", file), "utf8");
    expect([outcome.code, ...["where", "input", "user", "key", "later"].map(read)], outcome.stderr).toEqual([
      0,
      `${join(cwd, "sub")}\n`,
      "",
      `${NOBODY}\n`,
      "",
      "kept\n",
    ]);
  },
);

const BACKGROUND: Record<ContainedName, { readonly name: string; readonly input: Record<string, unknown> }> = {
  claude: { name: "Bash", input: { run_in_background: true, description: "x" } },
  codex: { name: "exec_command", input: { yield_time_ms: 300 } },
  copilot: { name: "bash", input: { mode: "async", description: "x" } },
  native: { name: "bash", input: { mode: "async" } },
};

test.skipIf(!hasSandbox).each(CONTAINED)(
  "a command that %s starts in the background serves the next one, and ends with the session, also by kill -9",
  async (name) => {
    const serve = `echo $$ > pid; until test -e stop; do sleep 0.1; done; echo stopped > ended; exec tail -f /dev/null`;
    const { name: tool, input } = BACKGROUND[name];
    const key = name === "codex" ? "cmd" : "command";
    await using agent = await containedAgent(name, {
      turns: [
        { calls: [{ name: tool, input: { ...input, [key]: serve } }] },
        { shell: "touch stop; until test -e ended; do sleep 0.1; done; kill -0 $(cat pid) && touch same" },
        { shell: "touch waiting; exec tail -f /dev/null" },
        { text: "all done" },
      ],
    });
    const { cwd, env, home } = agent;
    const processes = () =>
      readdirSync("/proc").filter((pid) => {
        try {
          return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(home);
        } catch {
          return false;
        }
      });
    await signalbox([name, "-p", "work"], {
      cwd,
      env,
      async during(child) {
        await expect.poll(() => existsSync(join(cwd, "waiting")), { ...WAIT, timeout: 60_000 }).toBe(true);
        expect(["ended", "same"].filter((file) => existsSync(join(cwd, file)))).toEqual(["ended", "same"]);
        const bash = execRunning(cwd);
        expect(bash.length).toBeGreaterThan(0);
        child.kill("SIGKILL");
        await expect.poll(() => bash.filter(isAlive), WAIT).toEqual([]);
        // The agent itself outlives its launcher; the next launch ends it.
        for (const pid of processes()) killIfAlive(Number(pid));
      },
    });
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(home);
  },
);

/** The processes that run in a folder: those of the sandbox have it as theirs. */
const execRunning = (cwd: string) =>
  readdirSync("/proc").flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("tail\0-f") && isIn(pid, cwd)
        ? [Number(pid)]
        : [];
    } catch {
      return [];
    }
  });

const isIn = (pid: string, cwd: string) => readlinkSync(`/proc/${pid}/cwd`) === cwd;
