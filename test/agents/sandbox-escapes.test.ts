import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageFolder } from "../../src/lib/path/package-folder.ts";
import { isOnPath } from "../support/is-on-path.ts";
import { FORMS, openScene, type SandboxScene } from "../support/sandbox-scene.ts";

/**
 * Ways out of the sandbox. Each prints ESCAPED when it worked. `bare` also runs outside, where it must work: otherwise
 * the attempt shows nothing. `harmful` would change the machine or needs root outside.
 */
interface Escape {
  readonly name: string;
  readonly line: string;
  readonly outside: "bare" | "harmful";
  /** What the Landlock form does not hold, or puts back after the command. */
  readonly landlock?: "open" | "put back";
}

const python = (code: string) =>
  `python3 - <<'PYTHON'\nimport ctypes, os, socket, fcntl\nlibc = ctypes.CDLL(None, use_errno=True)\n${code}\nPYTHON`;
/** A system call by number: those of x86-64 and arm64. */
const systemCall = (x64: number, arm64: number, ...args: string[]) =>
  python(
    `n = ${x64} if os.uname().machine == "x86_64" else ${arm64}\nif libc.syscall(${["n", ...args].join(", ")}) >= 0: print("ESCAPED")`,
  );
const connects = (family: string, address: string) =>
  python(`s = socket.socket(socket.${family}); s.settimeout(5); s.connect(${address}); print("ESCAPED")`);

/** What other programs would run or follow, as they see it when a command has ended. */
const protectedState = (workspace: string) =>
  execFileSync("sh", ["-c", `head -c 999 .git/config ${PROTECTED}; ls -la .git/hooks .github .github/workflows`], {
    cwd: workspace,
    encoding: "utf8",
  }).replaceAll(/^[^/]*total.*$|^d.*\.$/gm, "");

let scene: SandboxScene;
let scratch = "";
const servers: Server[] = [];

async function listen(where: { port: number; host: string } | { path: string }): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => undefined).end("hello"));
  servers.push(server);
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(where, resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const PROTECTED = ".github/workflows/ci.yml";

const hasPython = isOnPath("python3");

describe.runIf(hasPython).each(FORMS)("ways out of the sandbox by %s", (form) => {
  let ports: { v4: number; v6: number | undefined };

  beforeAll(async () => {
    // On the disk that the sandbox shows read-only: not in a folder that it hides.
    scratch = mkdtempSync(join(packageFolder(), ".sandbox-escapes-"));
    writeFileSync(join(scratch, "file"), "as it was");
    await listen({ path: join(scratch, "host.sock") });
    ports = {
      v4: await listen({ port: 0, host: "127.0.0.1" }),
      v6: await listen({ port: 0, host: "::1" }).catch(() => undefined),
    };
    scene = await openScene({
      form,
      environment: { PLANTED_TOKEN: "the token" },
      layOut(home, workspace) {
        for (const folder of [join(home, ".ssh"), join(home, ".aws"), join(workspace, ".github/workflows")])
          mkdirSync(folder, { recursive: true });
        for (const path of [join(home, ".ssh/id"), join(home, ".aws/credentials"), join(workspace, ".env")])
          writeFileSync(path, "the secret");
        writeFileSync(join(workspace, PROTECTED), "as it was");
        execFileSync("git", ["init", "-q", workspace]);
      },
    });
    await listen({ path: join(scene.home, "..", "late.sock") });
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await scene[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });

  const escapes = (): readonly Escape[] => [
    { name: "write a file outside", outside: "bare", line: `echo changed > "${scratch}/made" && echo ESCAPED` },
    {
      name: "write through a link",
      outside: "bare",
      line: `ln -sfn "${scratch}" link && echo changed > link/through && echo ESCAPED`,
    },
    {
      name: "swap a link while writing",
      outside: "bare",
      line: `mkdir -p real; (for i in {1..100}; do ln -sfn "${scratch}" swap; ln -sfn real swap; done) & for i in {1..100}; do echo changed > swap/swapped; done 2>/dev/null; wait; [ -e "${scratch}/swapped" ] && echo ESCAPED`,
    },
    {
      name: "append to /proc/self/root",
      outside: "bare",
      line: `echo changed > "/proc/self/root${scratch}/proc" && echo ESCAPED`,
    },
    { name: "remount the disk", outside: "harmful", line: `mount -o remount,rw,bind / 2>&1 && echo ESCAPED` },
    {
      name: "unmount a protected file",
      outside: "harmful",
      line: `umount ${PROTECTED} 2>&1 && echo ESCAPED; umount -l .github 2>&1 && echo ESCAPED`,
    },
    { name: "make a device", outside: "harmful", line: `mknod /tmp/disk b 8 0 && echo ESCAPED` },
    {
      name: "read an ssh key",
      outside: "bare",
      line: `grep -q secret ~/.ssh/id ${scene.home}/.ssh/id && echo ESCAPED`,
    },
    {
      name: "read a key by /proc",
      outside: "bare",
      line: `cat /proc/*/root${scene.home}/.aws/credentials /proc/*/cwd/../.ssh/id 2>/dev/null | grep -q secret && echo ESCAPED`,
    },
    { name: "read .env", outside: "bare", landlock: "open", line: `grep -q secret .env && echo ESCAPED` },
    {
      name: "read a credential from the environment",
      outside: "bare",
      line: `cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q 'the token' && echo ESCAPED`,
    },
    {
      name: "connect to the host's loopback",
      outside: "bare",
      line: connects("AF_INET", `("127.0.0.1", ${ports.v4})`),
    },
    ...(ports.v6 === undefined
      ? []
      : [{ name: "connect by IPv6", outside: "bare", line: connects("AF_INET6", `("::1", ${ports.v6})`) } as const]),
    {
      name: "connect to a socket of the host",
      outside: "bare",
      line: connects("AF_UNIX", JSON.stringify(join(scratch, "host.sock"))),
    },
    {
      name: "connect to a socket made later in a hidden folder",
      outside: "bare",
      line: connects("AF_UNIX", JSON.stringify(join(scene.home, "..", "late.sock"))),
    },
    {
      name: "send to a name server",
      outside: "harmful",
      line: python(
        `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("192.0.2.1", 53)); print("ESCAPED")`,
      ),
    },
    {
      name: "open a raw socket",
      outside: "harmful",
      line: python(`socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print("ESCAPED")`),
    },
    {
      name: "open a socket to the hypervisor",
      outside: "harmful",
      line: python(`socket.socket(40, socket.SOCK_STREAM); print("ESCAPED")`),
    },
    { name: "see a process of the host", outside: "bare", line: `kill -0 ${process.pid} && echo ESCAPED` },
    {
      name: "end the first process",
      outside: "harmful",
      line: `kill -9 1; kill -TERM 1; [ -d /proc/1 ] || echo ESCAPED`,
    },
    {
      name: "read the first process's memory",
      outside: "harmful",
      line: `head -c 1 /proc/1/mem >/dev/null && echo ESCAPED; readlink /proc/1/fd/7 && echo ESCAPED; cat </proc/1/fd/7 && echo ESCAPED; cat /proc/1/environ && echo ESCAPED; readlink /proc/1/exe && echo ESCAPED`,
    },
    {
      name: "trace the first process",
      outside: "harmful",
      line: python(`if libc.ptrace(16, 1, 0, 0) == 0: print("ESCAPED")`),
    },
    {
      name: "gain rights by a set-uid program",
      outside: "harmful",
      line: `grep -q 'NoNewPrivs:.1' /proc/self/status || echo ESCAPED; grep -q 'Cap${form === "landlock" ? "Prm" : "Bnd"}:.0*$' /proc/self/status || echo ESCAPED`,
    },
    { name: "make a user namespace", outside: "bare", line: `unshare -U true && echo ESCAPED` },
    {
      name: "make a user namespace by clone3",
      outside: "bare",
      line: python(
        `args = (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17, 0, 0, 0)\npid = libc.syscall(435, args, 64)\nif pid == 0: os._exit(0)\nif pid > 0: os.waitpid(pid, 0); print("ESCAPED")`,
      ),
    },
    { name: "use the session's keyring", outside: "bare", line: systemCall(250, 219, "0", "-3", "0") },
    { name: "use io_uring", outside: "harmful", line: systemCall(425, 425, "1", "ctypes.create_string_buffer(120)") },
    { name: "use userfaultfd", outside: "harmful", line: systemCall(323, 282, "1") },
    {
      name: "type on a terminal",
      outside: "harmful",
      line: python(
        `import pty, termios\na, b = pty.openpty()\nos.setsid() if os.getpid() != os.getsid(0) else None\ntry: fcntl.ioctl(b, termios.TIOCSCTTY, 0)\nexcept OSError: pass\nfcntl.ioctl(b, 0x5412, b"x"); print("ESCAPED")`,
      ),
    },
    {
      name: "set the host's core pattern",
      outside: "harmful",
      line: `before=$(cat /proc/sys/kernel/core_pattern); echo '|/x' > /proc/sys/kernel/core_pattern && echo ESCAPED; echo h > /proc/sysrq-trigger && echo ESCAPED`,
    },
    {
      name: "make a control group",
      outside: "harmful",
      line: `for f in /sys/fs/cgroup /sys/fs/cgroup/*/; do mkdir "$f/x" 2>/dev/null && echo ESCAPED; done`,
    },
    { name: "leave a core file", outside: "harmful", line: `[ "$(ulimit -c)" = 0 ] || echo ESCAPED` },
    {
      name: "fill the disk with one file",
      outside: "harmful",
      line: `[ "$(ulimit -f)" != unlimited ] || echo ESCAPED`,
    },
    {
      name: "fill the memory with temporary files",
      outside: "harmful",
      landlock: "open",
      line: `[ "$(df --output=size -k /tmp | tail -1)" -le 4194304 ] || echo ESCAPED`,
    },
    {
      name: "change git's hooks and settings",
      outside: "bare",
      landlock: "put back",
      line: `echo evil > .git/hooks/pre-commit && echo ESCAPED; git config core.fsmonitor ./evil && echo ESCAPED`,
    },
    {
      name: "change a protected file",
      outside: "bare",
      landlock: "put back",
      line: `echo evil > ${PROTECTED} && echo ESCAPED`,
    },
    {
      name: "change it by a hard link",
      outside: "bare",
      landlock: "put back",
      line: `ln -f ${PROTECTED} hard && echo evil > hard && echo ESCAPED`,
    },
    {
      name: "replace it",
      outside: "bare",
      landlock: "put back",
      line: `echo evil > new && mv -f new ${PROTECTED} && echo ESCAPED`,
    },
    {
      name: "move its folder away",
      outside: "bare",
      landlock: "put back",
      line: `mv .github/workflows gone && echo ESCAPED; mv .github gone && echo ESCAPED`,
    },
  ];

  test("each way works outside where that is harmless, and none inside", () => {
    const before = protectedState(scene.workspace);
    const inside = escapes().map(({ name, line, landlock }) => {
      const output = form === "landlock" && landlock === "open" ? "" : scene.run(line).output;
      const isPutBack = form === "landlock" && landlock === "put back";
      const escaped = isPutBack ? protectedState(scene.workspace) !== before : output.includes("ESCAPED");
      return { name, escaped };
    });
    expect(inside.filter(({ escaped }) => escaped)).toEqual([]);
    expect([
      readFileSync(join(scratch, "file"), "utf8"),
      readFileSync(join(scene.workspace, PROTECTED), "utf8"),
      ["made", "through", "swapped", "proc"].filter((name) => existsSync(join(scratch, name))),
      scene.run("echo the session goes on").output,
    ]).toEqual(["as it was", "as it was", [], "the session goes on\n"]);

    const bare = escapes().filter(({ outside }) => outside === "bare");
    const failed = bare.filter(({ line }) => !scene.bare(line).output.includes("ESCAPED")).map(({ name }) => name);
    expect(failed).toEqual([]);
  });

  test("an open folder of the caller does not come along", () => {
    const folder = openSync(scene.home, "r");
    const line = "cat /proc/self/fd/7/.ssh/id /proc/self/fd/0/.ssh/id /dev/fd/0/.ssh/id 2>/dev/null; true";
    const files = { cwd: scene.workspace, encoding: "utf8" as const };
    const stdio = [folder, "pipe", "pipe", "ignore", "ignore", "ignore", "ignore", folder] as const;
    const inside = spawnSync(scene.sandbox.program, [line], { ...files, stdio: [...stdio] });
    const bare = spawnSync("/bin/bash", ["-c", line], { ...files, stdio: [...stdio] });
    closeSync(folder);
    expect([inside.stdout, bare.stdout]).toEqual(["", "the secret".repeat(3)]);
  });

  test("the host's shared memory cannot be used", () => {
    const made = execFileSync("bash", ["-c", "ipcmk -M 4096"], { encoding: "utf8" });
    const id = /(\d+)\s*$/.exec(made)?.[1] ?? "";
    try {
      const line = python(
        `libc.shmat.restype = ctypes.c_long\nif libc.shmat(${id}, None, 0o10000) != -1: print("ESCAPED")`,
      );
      expect([scene.run(line).output, scene.bare(line).output]).toEqual(["", "ESCAPED\n"]);
    } finally {
      execFileSync("bash", ["-c", `ipcrm -m ${id}`]);
    }
  });

  test("a fork bomb ends at the limit, and the session survives it", async () => {
    await using small = await openScene({ form, policy: { limits: { processes: 60 } } });
    const bomb = python(
      `import time\nmade = 0\ntry:\n  while made < 500:\n    if os.fork() == 0: time.sleep(300); os._exit(0)\n    made += 1\nexcept OSError: pass\nprint(made)`,
    );
    const made = Number(small.run(`{ ${bomb}\n} > made 2>&1; cat made`).output);
    expect([made > 10 && made < 70, small.run("echo alive").code]).toEqual([true, expect.any(Number)]);
    small.run("kill -9 -1");
    await expect.poll(() => small.run("echo alive").output).toBe("alive\n");
  });
});
