import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { hasStarted } from "../lib/has-started.ts";
import { systemProgram } from "../lib/system-program.ts";
import { presetPolicy } from "../guard/policy/compiled-policy.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { planSandbox } from "./plan-sandbox.ts";
import { sandboxedArgv } from "./sandboxed-argv.ts";

export type SandboxProof =
  | { readonly works: true; readonly bubblewrap: string }
  | { readonly works: false; readonly because: string; readonly fix: string };

const INSTALL =
  "install bubblewrap (apt install bubblewrap, dnf install bubblewrap), or set sandbox: off in the policy";
const PERMIT = "allow bwrap to create user namespaces on this machine, or set sandbox: off in the policy";

/**
 * Verifies on this machine that the sandbox works. A script tries to write outside, change a protected file, create
 * one, read a secret and connect. Each attempt must succeed without the sandbox, or the test proves nothing, and fail
 * inside it.
 */
export async function sandboxWorks(workspace: string, find = findBubblewrap): Promise<SandboxProof> {
  if (process.platform !== "linux")
    return {
      works: false,
      because: "bubblewrap only works on Linux",
      fix: "run it on Linux, or set sandbox: off in the policy",
    };
  const program = find(workspace);
  if (program === undefined) return { works: false, because: "bubblewrap (bwrap) is not installed", fix: INSTALL };
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-proof-")));
  const server = createServer((socket) => socket.destroy());
  try {
    const port = await listen(server);
    const bare = await attempt(folder, port, (command) => command);
    if (bare.found !== ALL)
      return {
        works: false,
        because: `the sandbox test does not run on this machine: ${describe(bare)}`,
        fix: "bash is required; see docs/sandbox.md",
      };
    const inside = await attempt(folder, port, (command) =>
      sandboxedArgv(command, planSandbox(trialPolicy(folder), { bubblewrap: program })),
    );
    if (inside.found === "inside") return { works: true, bubblewrap: program };
    return { works: false, because: `${program} does not isolate commands: ${describe(inside)}`, fix: PERMIT };
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Attempt {
  readonly found: string;
  readonly errors: string;
}

const describe = ({ found, errors }: Attempt) =>
  found === "" ? `nothing ran (${errors.trim().split("\n").at(-1) ?? ""})` : `the test reached ${found}`;

const ALL = "inside,outside,protected,absent,secret,network";

/** Runs the script in a fresh layout and inspects the disk to see what it did. */
async function attempt(
  folder: string,
  port: number,
  wrap: (command: readonly string[]) => readonly string[],
): Promise<Attempt> {
  layOut(folder);
  const [program = "", ...args] = wrap([
    systemProgram("bash") ?? "/bin/bash",
    "-c",
    SCRIPT,
    "trial",
    folder,
    String(port),
  ]);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: 10_000, killSignal: "SIGKILL" });
  const failure = new Promise<string>((resolve) => child.on("error", (error) => resolve(error.message)));
  if (!(await hasStarted(child))) return { found: "", errors: await failure };
  const errors = Promise.race([text(child.stderr), failure]);
  const output = await text(child.stdout);
  const found = [
    ["inside", changed(join(folder, "home/work/inside"))],
    ["outside", changed(join(folder, "home/outside"))],
    ["protected", changed(join(folder, "home/work/.mcp.json"))],
    ["absent", changed(join(folder, "home/work/.claude/settings.json"))],
    ["secret", output.includes("the secret")],
    ["network", output.includes("connected")],
  ] as const;
  return { found: found.flatMap(([name, happened]) => (happened ? [name] : [])).join(), errors: await errors };
}

const SCRIPT = `
cd "$1/home/work"
echo changed > inside
echo changed > ../outside
echo changed > .mcp.json
mkdir -p .claude && echo changed > .claude/settings.json
cat ../.ssh/key
exec 3<>"/dev/tcp/127.0.0.1/$2" && echo connected
`;

function layOut(folder: string): void {
  rmSync(join(folder, "home"), { recursive: true, force: true });
  mkdirSync(join(folder, "home/work"), { recursive: true });
  mkdirSync(join(folder, "home/.ssh"));
  writeFileSync(join(folder, "home/.ssh/key"), "the secret");
  for (const name of ["outside", "work/inside", "work/.mcp.json"])
    writeFileSync(join(folder, "home", name), "as it was");
}

function changed(path: string): boolean {
  try {
    return readFileSync(path, "utf8") === "changed\n";
  } catch {
    return false;
  }
}

const trialPolicy = (folder: string) => ({
  ...presetPolicy("ci", { workspaceRoot: join(folder, "home/work"), home: join(folder, "home") }),
  sandbox: "workspace" as const,
});

const listen = (server: ReturnType<typeof createServer>) =>
  new Promise<number>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
