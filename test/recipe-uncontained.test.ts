import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "./support/is-alive.ts";
import { killIfAlive } from "./support/kill-if-alive.ts";
import { until } from "./support/native-scene.ts";
import { signalbox, SIGNALBOX } from "./support/run-signalbox.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";

/** A recipe of one step for each command, and what came out where commands cannot be contained. */
async function outcomes(
  commands: Readonly<Record<string, string>>,
  context: readonly string[],
  flags: readonly string[],
) {
  const [cwd, home] = [tempRepository(), withoutSandbox(tempFolder())];
  return Object.fromEntries(
    await Promise.all(
      Object.entries(commands).map(async ([id, command]) => {
        writeFileSync(join(cwd, `${id}.yaml`), `name: x\nsteps:\n  - ${JSON.stringify({ id, command })}\n`);
        const args = [
          "recipe",
          "run",
          `./${id}.yaml`,
          "--json",
          ...context.flatMap((value) => ["-c", value]),
          ...flags,
        ];
        const { stdout, stderr } = await signalbox(args, { cwd, env: { HOME: home } });
        const [step] = JSON.parse(stdout || `{"step_results":[{"status":${JSON.stringify(stderr)}}]}`).step_results;
        return [id, step.status === "completed" ? step.output : `${step.status}: ${step.error}`] as const;
      }),
    ),
  );
}

test("without a sandbox, ordinary lines run, and values stay data", { timeout: 120_000 }, async () => {
  const large = join(tempFolder(), "large");
  const size = 200_000;
  writeFileSync(large, "$(touch ran) `touch ran` 'x' \u001b[31m".padEnd(size, "x"));
  const many = "`touch ran`; ".repeat(100);
  const found = await outcomes(
    {
      document: "NAME=world\ncat <<EOF\nHello $NAME, {{who}}\nEOF",
      tabs: "cat <<-EOF\n\t\tHello {{who}}\n\tEOF",
      fallback: 'echo "${NO_SUCH_NAME:-usual} ${WHO:-usual}"',
      path: 'echo x > "${OUT_FILE:-out.txt}" && cat out.txt',
      large: 'printf %s "{{large}}" > kept; wc -c < kept',
      dense: 'printf %s "{{many}}" | wc -c',
      ran: "test ! -e ran && echo nothing ran",
    },
    ["who=$(touch ran)", `large=file://${large}`, `many=${many}`],
    [],
  );
  expect(found).toEqual({
    document: "Hello world, $(touch ran)",
    tabs: "Hello $(touch ran)",
    fallback: "usual $(touch ran)",
    path: "x",
    large: String(size),
    dense: String(many.length),
    ran: "nothing ran",
  });
});

const HARD_TO_READ = {
  list: 'a=(x y); for i in "${a[@]}"; do echo "$i"; done',
  choice: 'case "{{who}}" in a*) echo yes;; *) echo no;; esac',
  check: 'if [[ -n "{{who}}" ]]; then echo "${NO_SUCH_NAME}full"; fi',
  sum: "n=1; echo $((n+1))",
  name: 'f=a.txt; echo "${f%.txt}"',
};

test("what the guard cannot read is asked about, and runs with --yes", { timeout: 120_000 }, async () => {
  const asked = await outcomes(HARD_TO_READ, ["who=abc"], []);
  expect(Object.values(asked)).toEqual(
    Object.values(HARD_TO_READ).map(() => expect.stringMatching(/^blocked: needs approval: .* --resume \S+ --yes$/)),
  );
  expect(await outcomes(HARD_TO_READ, ["who=abc"], ["--yes"])).toEqual({
    list: "x\ny",
    choice: "yes",
    check: "full",
    sum: "2",
    name: "a",
  });
});

test("--yes lifts no denial, and nothing else that is asked about", { timeout: 120_000 }, async () => {
  const commands = {
    inDocument: "cat <<EOF\n$(sudo ls)\nEOF",
    inDefault: 'echo "${NO_SUCH_NAME:-$(sudo ls)}"',
    byDefault: "${NO_SUCH_NAME:-sudo} ls",
    inChoice: "case x in x) sudo ls;; esac",
    inList: 'a=(sudo ls); "${a[@]}"',
    asCode: 'eval "$WHO"',
    asShell: "bash <<EOF\n{{who}}\nEOF",
    asPath: 'rm -rf "${LARGE}"',
    host: "n=$((1+1)); curl https://example.org/",
  };
  const value = `large=${"/".repeat(5000)}`;
  const found = await outcomes(commands, ["who=sudo ls; x", value], ["--yes"]);
  expect(Object.values(found).map((text) => text.split(":")[0])).toEqual([
    "failed",
    "failed",
    "failed",
    "failed",
    "blocked",
    "failed",
    "failed",
    "blocked",
    "blocked",
  ]);
});

/** Starts a recipe whose step runs for long, and waits for its command. */
async function longRecipe() {
  const [cwd, home] = [tempRepository(), withoutSandbox(tempFolder())];
  const step = "echo $$ >> started; sleep 600";
  writeFileSync(join(cwd, "long.yaml"), `name: long\nsteps:\n  - { id: a, command: "${step}" }\n`);
  const env = { PATH: process.env["PATH"], HOME: home };
  const child = spawn(SIGNALBOX, ["recipe", "run", "./long.yaml"], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  onTestFinished(() => void child.kill("SIGKILL"));
  const pids = () =>
    existsSync(join(cwd, "started")) ? readFileSync(join(cwd, "started"), "utf8").split("\n").filter(Boolean) : [];
  onTestFinished(() => pids().forEach((pid) => killIfAlive(Number(pid))));
  await until(() => pids().length === 1);
  const alive = () => pids().filter((pid) => isAlive(Number(pid))).length;
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const run = /recipe run ([0-9a-f-]{36})/.exec(said)?.[1] ?? "";
  return { cwd, home, kill, pids, alive, run };
}

test("runs ends what a killed recipe left running", { timeout: 60_000 }, async () => {
  const { cwd, home, kill, alive } = await longRecipe();
  await kill();
  expect(alive()).toBe(1);
  const { stderr } = await signalbox(["runs"], { cwd, env: { HOME: home } });
  expect([alive(), stderr]).toEqual([0, expect.stringMatching(/ended \d process(?:es)? that a killed session/)]);
});

test("a step is never run twice at once, however many resume its run", { timeout: 60_000 }, async () => {
  const { cwd, home, kill, pids, alive, run } = await longRecipe();
  const resume = ["recipe", "run", "--resume", run];
  const early = await signalbox(resume, { cwd, env: { HOME: home } });
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("this run is still active")]);
  await kill();
  const owner = join(home, ".signalbox/recipe-runs", run, "owner.json");
  const known = readFileSync(owner, "utf8");
  writeFileSync(owner, JSON.stringify({ ...JSON.parse(known), host: "other", boot: "other", lock: "" }));
  const unseen = await signalbox(resume, { cwd, env: { HOME: home } });
  expect([unseen.code, unseen.stderr]).toEqual([
    1,
    expect.stringContaining("cannot tell whether this run is still active"),
  ]);
  writeFileSync(owner, known);
  const env = { PATH: process.env["PATH"], HOME: home };
  const children = Array.from({ length: 4 }, () => spawn(SIGNALBOX, resume, { cwd, env, stdio: "ignore" }));
  // One that ends still seals its receipt.
  onTestFinished(async () => {
    const running = children.filter((child) => child.exitCode === null && child.signalCode === null);
    const exits = running.map((child) => once(child, "exit"));
    for (const child of running) child.kill("SIGTERM");
    await Promise.all(exits);
  });
  const codes = new Set<unknown>();
  let ended = 0;
  for (const child of children)
    child.once("exit", (code) => {
      codes.add(code);
      ended++;
    });
  await until(() => ended === 3 && pids().length > 1);
  expect([codes, pids().length, alive()]).toEqual([new Set([1]), 2, 1]);
});
