import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "./support/is-alive.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { FIXTURES, PYTHON, startVictim } from "./support/landlock-victim.ts";
import {
  landlockAbi,
  type LandlockParts,
  type LandlockScene,
  openLandlockScene,
  until,
} from "./support/landlock-scene.ts";

const isRoot = process.getuid?.() === 0;
const USERS = isRoot ? [undefined, 65_534] : [undefined];
const isHere = landlockAbi > 0 && existsSync(PYTHON);
const nameOf = (uid: number | undefined) => ((uid ?? process.getuid?.()) ? "an ordinary user" : "root");

/** Words that make a program believe that it is on another machine. */
const withoutCalls = (...calls: readonly string[]): [string, ...string[]] => [
  PYTHON,
  join(FIXTURES, "without-calls.py"),
  ...calls,
  "--",
];

function layOut(base: string): void {
  mkdirSync(join(base, "home/.ssh"));
  for (const file of [".ssh/id", "moved"]) writeFileSync(join(base, "home", file), "a secret\n");
  writeFileSync(join(base, "home/program"), "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync("../../foreign.sock", join(base, "home/work/link.sock"));
}

const open = (parts: LandlockParts = {}) => openLandlockScene({ layOut, rules: () => [`r${FIXTURES}`], ...parts });

/** What came of each attempt outside and inside. */
async function probe(parts: LandlockParts) {
  await using scene = await open(parts);
  if (isRoot) {
    const program = join(scene.base, "shown/effective-user");
    copyFileSync(PYTHON, program);
    chmodSync(program, 0o4755);
  }
  const victim = await startVictim(scene.base, parts.uid);
  const place = { base: scene.base, workspace: scene.workspace, address: "192.0.2.1", victim: victim.facts };
  const line = `${PYTHON} '${FIXTURES}/probes.py' '${JSON.stringify(place)}'`;
  const outcomes = async (where: "bare" | "run"): Promise<Map<string, string>> => {
    const { output } = await scene[where](line);
    const found: Record<string, string> = JSON.parse(output);
    return new Map(Object.entries(found));
  };
  const outside = await outcomes("bare");
  // The quiet attempts too.
  await until(() => victim.reached.includes("signal"), "no signal");
  const before = victim.reached.length;
  const inside = await outcomes("run");
  const reached = victim.reached.slice(before);
  await victim.end();
  const held = [...inside].filter(([, outcome]) => outcome !== "yes").map(([name]) => name);
  const shown = [...outside].filter(([, outcome]) => outcome === "yes").map(([name]) => name);
  return {
    outside,
    inside,
    reached,
    held,
    shown,
    notHeld: [...inside.keys()].filter((name) => !held.includes(name) && !name.startsWith("quietly_")),
  };
}

/** What succeeds outside on every machine, so that the comparison means something. */
const EVERYWHERE = [
  "write_beside_the_workspace",
  "write_in_the_temporary_folder_of_all",
  "read_a_key",
  "list_the_home",
  "link_a_key_into_the_workspace",
  "run_a_program_of_the_home",
  "read_an_environment",
  "signal",
  "change_a_priority",
  "change_a_limit",
  "open_a_terminal_of_others",
  "udp_socket",
  "unix_datagram_socket",
  "unix_datagram_pair",
  "ask_a_name_server",
  "call_a_loopback_server",
  "call_a_loopback_server_as_any",
  "call_a_server_of_all_addresses",
  "call_another_address",
  "unix_socket",
  "unix_socket_by_a_link",
  "unix_socket_by_a_relative_path",
  "unix_socket_by_proc",
  "abstract_socket",
];

describe.skipIf(!isHere)("the Landlock form", () => {
  test.each(USERS)("holds what succeeds without it, as user %s", async (uid) => {
    const { shown, notHeld, reached, inside } = await probe({ uid, wrapper: withoutCalls("userns") });
    expect(EVERYWHERE.filter((name) => !shown.includes(name))).toEqual([]);
    // Root may start a program that is root's; it has no more rights than the caller.
    expect(notHeld).toEqual(nameOf(uid) === "root" ? ["become_root_by_a_program"] : []);
    expect(inside.get("have_capabilities")).toBe("EPERM");
    expect(reached).toEqual([]);
  });

  test.each([4, 5, 6].filter((abi) => abi < landlockAbi))("with ABI %i holds the same", async (abi) => {
    for (const uid of USERS) {
      const { notHeld, reached } = await probe({ uid, abi });
      expect(notHeld).toEqual(nameOf(uid) === "root" ? ["become_root_by_a_program"] : []);
      expect(reached).toEqual([]);
    }
  });

  test.each([
    [[], 3, "this kernel's Landlock is too old: ABI 4 is needed"],
    [["landlock_create_ruleset=ENOSYS"], undefined, "this kernel has no Landlock"],
    [["landlock_create_ruleset=EOPNOTSUPP"], undefined, "Landlock is disabled on this machine"],
    [["landlock_create_ruleset=EPERM"], undefined, "this machine does not permit Landlock"],
    [["pidfd_getfd=EPERM"], undefined, "signalbox may not see what commands connect to on this machine"],
  ])("says why there is none, with an exit code of its own: %s %s", async (calls, abi, message) => {
    const failure = open({ abi, wrapper: calls.length > 0 ? withoutCalls(...calls) : [] });
    await expect(failure).rejects.toThrow(`124: signalbox: ${message}`);
  });
});

const SESSIONS = [...USERS.map((uid) => ({ uid, abi: landlockAbi })), { uid: USERS.at(-1), abi: 4 }];

describe.skipIf(!isHere).each(SESSIONS)("a Landlock session of user $uid with ABI $abi", ({ uid, abi }) => {
  let scene: LandlockScene;
  const lines = async (line: string) => {
    const { output } = await scene.run(line);
    return output.trim().split("\n");
  };

  beforeAll(async () => {
    scene = await open({
      uid,
      abi,
      wrapper: withoutCalls("userns"),
      watched: (workspace) => [`m${workspace}/.mcp.json`],
    });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test("runs where user namespaces are refused", () => {
    const [program, ...words] = [...withoutCalls("userns"), "/usr/bin/unshare", "--user", "true"];
    expect(spawnSync(program, words).status).toBe(1);
  });

  test("has git, python, gcc and npm at work in the workspace", async () => {
    const git = "git -c user.name=a -c user.email=a@example.com";
    expect(
      await lines(`git init -q -b main . && echo one > file && git add file && ${git} commit -qm one && git log --format=%s
        ${PYTHON} -c 'import tempfile; print(tempfile.TemporaryFile().write(b"abc"))'
        echo '{"scripts":{"test":"echo tested"}}' > package.json && npm test --silent --no-update-notifier`),
    ).toEqual(["one", "3", "tested"]);
    if (isOnPath("gcc"))
      expect(await lines(`echo 'int main(void) { return 7; }' > a.c && gcc a.c -o a && ./a; echo $?`)).toEqual(["7"]);
  });

  test("has a server of one command answer the next one by every name of this machine", async () => {
    const serve = `require("http").createServer((_, reply) => reply.end("served\\n")).listen(0, function () {
      require("fs").writeFileSync("port", String(this.address().port)) })`;
    await scene.run(`node -e '${serve}' < /dev/null > /dev/null 2>&1 & until [ -s port ]; do sleep 0.02; done`);
    expect(
      await lines(
        'for host in 127.0.0.1 "[::1]" localhost 0.0.0.0; do curl -sS --noproxy "*" http://$host:$(cat port); done',
      ),
    ).toEqual(["served", "served", "served", "served"]);
  });

  test("reaches the network door, and is refused where nobody listens", async () => {
    expect(await lines(`exec 3<> /dev/tcp/127.0.0.1/${scene.door}; cat <&3; exec 4<> /dev/tcp/127.0.0.1/1`)).toEqual([
      "door",
      expect.stringContaining("Connection refused"),
      expect.stringContaining("/dev/tcp/127.0.0.1/1"),
    ]);
  });

  test("opens servers to this machine only", async () => {
    const program = `import socket
def served(family, address):
    with socket.socket(family) as s:
        if address: s.bind(address)
        try: s.listen()
        except OSError as error: return error.strerror
        return s.getsockname()[0]
print(served(socket.AF_INET, ("", 0)), served(socket.AF_INET, None), served(socket.AF_INET6, ("::", 0)))
print(served(socket.AF_INET, ("127.0.0.7", 0)), served(socket.AF_INET6, ("::1", 0)))`;
    expect(await lines(`${PYTHON} -c '${program}'`)).toEqual(["127.0.0.1 127.0.0.1 ::ffff:127.0.0.1", "127.0.0.7 ::1"]);
  });

  test.skipIf(!isOnPath("tmux"))("has tmux with terminals of its own", async () => {
    expect(
      await lines(`tmux -f /dev/null new-session -d 'tty > terminal; sleep 5' && until [ -s terminal ]; do sleep 0.02; done
        grep -c ^/dev/pts/ terminal; tmux ls | wc -l; tmux kill-server`),
    ).toEqual(["1", "1"]);
  });

  test("lets commands signal each other and their groups, and no command its session", async () => {
    await scene.run("sleep 1000 < /dev/null > /dev/null 2>&1 & echo $! > sleeper");
    expect(
      await lines("kill $(cat sleeper) && echo ended; cat /proc/$PPID/environ; kill -9 -1; kill -9 $PPID"),
    ).toEqual([
      "ended",
      expect.stringContaining("Permission denied"),
      expect.stringContaining("Operation not permitted"),
      expect.stringContaining("Operation not permitted"),
    ]);
  });

  test("ends a command's background processes with its client, and passes on how it ended", async () => {
    expect([await scene.run("exit 3"), await scene.run("kill -TERM $$")]).toEqual([
      { code: 3, signal: null, output: "" },
      { code: null, signal: "SIGTERM", output: "" },
    ]);
    const child = scene.start("echo $$; sleep 1000");
    const [chunk]: unknown[] = child.stdout === null ? [] : await once(child.stdout, "data");
    const pid = Number(String(chunk));
    child.kill("SIGKILL");
    await until(() => !isAlive(pid), "the command goes on");
  });

  test("has a protected path taken away that a command creates", async () => {
    expect(await lines("echo x > .mcp.json")).toEqual([""]);
    expect(existsSync(join(scene.workspace, ".mcp.json"))).toBe(false);
    await until(() => scene.messages.some(({ type }) => type === "removed"), "nothing was removed");
  });

  test("does not hold what its documentation says it does not", async () => {
    writeFileSync(join(scene.workspace, ".env"), "TOKEN=x\n");
    chmodSync(join(scene.workspace, ".env"), 0o644);
    expect(
      await lines(`git init -q . && echo true > .git/hooks/pre-commit && echo written; cat .env
        chmod 600 ../moved && echo changed; ls /proc/${process.pid}/stat; stat -c %s ../.ssh/id`),
    ).toEqual(["written", "TOKEN=x", "changed", `/proc/${process.pid}/stat`, "9"]);
  });

  test("has no connection wait for another", async () => {
    const program = `import errno, os, signal, socket, threading
full = socket.socket(socket.AF_UNIX); full.bind("full.sock"); full.listen(0)
first = socket.socket(socket.AF_UNIX); first.connect("full.sock")
waiting = os.fork()
if waiting == 0: socket.socket(socket.AF_UNIX).connect("full.sock"); os._exit(0)
while "S" not in open("/proc/%d/stat" % waiting).read().split(")")[1][:3]: pass
hasty = socket.socket(socket.AF_UNIX); hasty.setblocking(False)
print(errno.errorcode[hasty.connect_ex("full.sock")])
call = lambda: print(socket.create_connection(("127.0.0.1", ${scene.door})).recv(10).decode().strip())
thread = threading.Thread(target=call); thread.start(); thread.join()
os.kill(waiting, signal.SIGKILL); print(os.waitpid(waiting, 0)[1])`;
    expect(await lines(`${PYTHON} -c '${program}'`)).toEqual(["EAGAIN", "door", "9"]);
  });

  test("survives nonsense, and reaches nobody else by it", async () => {
    const victim = await startVictim(scene.base, uid);
    const place = { base: scene.base, workspace: scene.workspace, door: scene.door, victim: victim.facts };
    const seed = Number(process.env["SIGNALBOX_FUZZ_SEED"] ?? 1);
    const seconds = Number(process.env["SIGNALBOX_FUZZ_SECONDS"] ?? 3);
    const fuzzed = await scene.run(
      `${PYTHON} '${FIXTURES}/fuzz.py' ${seed} ${seconds} '${JSON.stringify(place)}'`,
      (seconds + 30) * 1000,
    );
    expect(fuzzed).toEqual({ code: 0, signal: null, output: "asked\n" });
    expect(victim.reached).toEqual([]);
    await victim.end();
    expect(await lines(`exec 3<> /dev/tcp/127.0.0.1/${scene.door}; cat <&3`)).toEqual(["door"]);
  }, 600_000);
});
