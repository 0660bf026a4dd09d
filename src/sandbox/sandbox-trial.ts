import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { release } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Containment, HeldPart } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import { presetPolicy } from "../guard/policy/compiled-policy.ts";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { newerFormat } from "../lib/json/file-format.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { sha256 } from "../lib/json/sha256.ts";
import { systemProgram } from "../lib/path/find-program.ts";
import { hasStarted } from "../lib/process/has-started.ts";
import type { RunningSandbox } from "./linux/session-sandbox.ts";

export interface ProofParts {
  readonly signalboxHome: string;
  /** A flag asks for a sandbox, so the weaker form has to be allowed by the policy. */
  readonly isRequired?: boolean | undefined;
  /** Makes the trial even if it has passed before. */
  readonly isAgain?: boolean | undefined;
  /** Tests pass programs of their own. */
  readonly findBubblewrap?: ((workspace: string) => string | undefined) | undefined;
  readonly findHelper?: (() => string | undefined) | undefined;
  readonly platform?: NodeJS.Platform | undefined;
  /** macOS's `sandbox-exec`. */
  readonly sandboxExec?: string | undefined;
}

interface TrialParts {
  readonly signalboxHome: string;
  /** The policy of the session, for how strict its sandbox is. */
  readonly policy: Policy;
  /** What makes the sandbox, to be named. */
  readonly program: string;
  /** What the sandbox claims to hold. Nothing else is tried. */
  readonly held: readonly HeldPart[];
  readonly needed: readonly Needed[];
  readonly start: (policy: Policy, environment: Readonly<Record<string, string>>) => Promise<RunningSandbox>;
}

/**
 * What has to work: writing in the workspace, a temporary file that the next command finds, and a background process
 * that the next command can end.
 */
type Needed = "inside" | "temporary" | "session";

/** What each attempt of the trial shows. */
const ATTEMPTS: Readonly<Record<string, HeldPart>> = {
  outside: "disk",
  protected: "disk",
  absent: "disk",
  secret: "secrets",
  variable: "secrets",
  network: "network",
  process: "processes",
  environ: "processes",
};

/**
 * Tries on this machine what a sandbox must hold. Each attempt is made twice by the same script: without a sandbox it
 * must succeed, or the trial shows nothing; inside it must fail. What commands must be able to do has to work in both.
 */
export async function tryOut(parts: TrialParts): Promise<NotProven | undefined> {
  const { signalboxHome, program, held, needed, start } = parts;
  makeFolder(signalboxHome);
  const folder = mkdtempSync(join(signalboxHome, "trial-"));
  const server = createServer((socket) => socket.destroy());
  try {
    const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", TRIAL_TOKEN: "the token" };
    const place = { folder, port: await listen(server), environment };
    const attempts = Object.entries(ATTEMPTS).flatMap(([name, part]) => (held.includes(part) ? [name] : []));
    layOut(folder);
    const bare = await attempt([systemProgram("bash") ?? "/bin/bash", "-c"], place);
    const unable = [...attempts, ...needed].filter((name) => !bare.has(name));
    if (unable.length > 0)
      return notProven(
        `the sandbox test does not run on this machine: ${unable.join(", ")} failed without a sandbox`,
        "bash is required; see docs/sandbox.md",
      );
    layOut(folder);
    const policy = {
      ...presetPolicy("ci", { workspaceRoot: join(folder, "home/work"), home: join(folder, "home") }),
      sandbox: triedLevel(parts.policy),
    };
    await using sandbox = await start(policy, environment);
    const inside = await attempt([sandbox.program], place);
    const missing = needed.filter((name) => !inside.has(name)).map((name) => `no ${name}`);
    const reached = [...attempts.filter((name) => inside.has(name)), ...missing];
    if (reached.length === 0) return undefined;
    return notProven(`${program} does not isolate commands: the test reached ${reached.join(", ")}`, OFF);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All that the trial takes from the policy of the session: its workspace, home and rules are the trial's own. */
const triedLevel = ({ sandbox }: Policy): "strict" | "workspace" => (sandbox === "strict" ? "strict" : "workspace");

interface TrialPlace {
  readonly folder: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
}

async function attempt(argv: readonly string[], place: TrialPlace): Promise<ReadonlySet<string>> {
  const work = join(place.folder, "home/work");
  const name = `"\${TMPDIR:-/tmp}/signalbox-trial-${process.pid}-${place.port}"`;
  const output = await run(argv, FIRST(place, name), place);
  const second = await run(
    argv,
    `[ -s ${name} ] && echo found; kill -9 "$(cat ${name})" && echo alive; rm -f ${name}`,
    place,
  );
  const happened: Readonly<Record<string, boolean>> = {
    inside: isChanged(join(work, "inside")),
    temporary: second.includes("found"),
    session: second.includes("alive"),
    outside: isChanged(join(place.folder, "home/outside")) || isChanged(join(place.folder, "elsewhere")),
    protected: isChanged(join(work, ".mcp.json")),
    // The second is written in capitals, which is the same file on most disks of macOS.
    absent: [".claude", ".vscode"].some((name) => isChanged(join(work, name, "settings.json"))),
    secret: output.includes("the secret"),
    variable: output.includes("the token"),
    network: output.includes("connected"),
    process: output.includes("seen"),
    environ: output.includes("environ of"),
  };
  return new Set(Object.keys(happened).filter((key) => happened[key] === true));
}

const FIRST = ({ folder, port }: TrialPlace, name: string) => `
echo changed > inside
echo changed > ../outside
echo changed > '${quoted(folder)}/elsewhere'
echo changed > .mcp.json
mkdir -p .claude && echo changed > .claude/settings.json
mkdir -p .VSCODE && echo changed > .VSCODE/settings.json
cat ../.ssh/key
echo "$TRIAL_TOKEN"
exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected
kill -0 ${process.pid} && echo seen
head -c 1 /proc/${process.pid}/environ >/dev/null && echo environ of
sleep 60 >/dev/null 2>&1 </dev/null & echo $! > ${name}
`;

const quoted = (path: string) => path.replaceAll("'", `'\\''`);

const TRIAL_MS = 20_000;

async function run([program = "", ...args]: readonly string[], script: string, place: TrialPlace): Promise<string> {
  const child = spawn(program, [...args, script], {
    cwd: join(place.folder, "home/work"),
    env: place.environment,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: TRIAL_MS,
    killSignal: "SIGKILL",
  });
  child.on("error", () => undefined);
  return (await hasStarted(child)) ? await text(child.stdout) : "";
}

function layOut(folder: string): void {
  rmSync(join(folder, "home"), { recursive: true, force: true });
  mkdirSync(join(folder, "home/work"), { recursive: true });
  mkdirSync(join(folder, "home/.ssh"));
  writeFileSync(join(folder, "home/.ssh/key"), "the secret");
  for (const name of ["elsewhere", "home/outside", "home/work/inside", "home/work/.mcp.json"])
    writeFileSync(join(folder, name), "as it was");
}

function isChanged(path: string): boolean {
  try {
    return readFileSync(path, "utf8") === "changed\n";
  } catch {
    return false;
  }
}

const listen = (server: Server) =>
  new Promise<number>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });

/** What is remembered of a trial that passed. */
export interface PassedTrial {
  readonly provenAt: string;
  readonly closesUserNamespaces: boolean;
  readonly usesHelper: boolean;
}

/** Changes with the trial, so that an older one does not count. */
const PROOF_VERSION = 2;

const MAX_PROOFS = 50;

/** What a trial counts for: this form, if it is not the usual one, these programs, this kernel, user and level. */
export function proofKey(policy: Policy, programs: readonly string[], form?: string): string {
  const files = programs.map((file) => {
    const { size, mtimeMs, ino } = statSync(realpathSync(file));
    return [file, size, mtimeMs, ino];
  });
  const key = [PROOF_VERSION, files, release(), process.getuid?.(), triedLevel(policy)];
  return sha256(JSON.stringify(form === undefined ? key : [...key, form]));
}

const proofFile = (signalboxHome: string) => join(signalboxHome, "sandbox-proof.json");

/** Undefined if a newer signalbox wrote them: they are neither used nor replaced, and each session tries again. */
function readProofs(signalboxHome: string): Record<string, unknown> | undefined {
  try {
    const proofs = parseJson(readFileSync(proofFile(signalboxHome), "utf8"));
    if (!isRecord(proofs)) return {};
    if (newerFormat(proofs) !== undefined) return undefined;
    // Early releases wrote the proofs without a version.
    const { proofs: known = proofs } = proofs;
    return isRecord(known) ? known : {};
  } catch {
    // None yet, or unreadable: the trial is made again.
    return {};
  }
}

export function readProof(signalboxHome: string, key: string): PassedTrial | undefined {
  const proof = readProofs(signalboxHome)?.[key];
  if (!isRecord(proof)) return undefined;
  const { provenAt, closesUserNamespaces, usesHelper } = proof;
  if (typeof provenAt !== "string" || typeof closesUserNamespaces !== "boolean" || typeof usesHelper !== "boolean")
    return undefined;
  return { provenAt, closesUserNamespaces, usesHelper };
}

export function writeProof(signalboxHome: string, key: string, proof: PassedTrial): void {
  makeFolder(signalboxHome);
  const known = readProofs(signalboxHome);
  if (known === undefined) return;
  const others = Object.entries(known).filter(([other]) => other !== key);
  const proofs = Object.fromEntries([...others.slice(1 - MAX_PROOFS), [key, proof]]);
  atomicWrite(proofFile(signalboxHome), `${JSON.stringify({ version: 1, proofs })}\n`);
}

/** A sandbox that does not hold here, and what its user can do. */
export interface NotProven {
  readonly containment: Extract<Containment, { contained: false }>;
}

export const OFF = "set sandbox: off in the policy; see docs/sandbox.md";

export const notProven = (because: string, fix: string): NotProven => ({
  containment: { contained: false, because, fix },
});
