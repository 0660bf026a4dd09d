import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { randomId } from "../lib/files/random-id.ts";
import { systemProgram } from "../lib/path/find-program.ts";
import type { GuaranteeId } from "./guarantees.ts";
import type { TrialStage } from "./trial-stage.ts";
import { playSession, type Trial, tryOf } from "./trial.ts";

export const CONTAINED_IDS = [
  "contained-write",
  "contained-secret",
  "contained-host",
  "contained-session",
] as const satisfies readonly GuaranteeId[];

/** What the probe does is not in the command, so only a sandbox can hold it. */
const PROBE = `
cat "$HOME/.ssh/planted-$2" > stolen
echo written > "$HOME/outside-$2"
exec 3<>"/dev/tcp/127.0.0.1/$1"
touch ok-probe
`;

/**
 * A session with exactly the flags of a plain launch. A script of the repository tries to read a planted key, to write
 * into the home and to connect to a program outside. Run without a sandbox, all three must succeed.
 */
export async function tryContained(stage: TrialStage): Promise<readonly Trial[]> {
  const home = stage.environment("http://127.0.0.1")["HOME"] ?? "";
  await using listener = await listen();
  using planted = plant(home, stage.name);
  const control = await bareProbe(home, stage, listener);
  planted.clean();
  const before = listener.connections();
  const repository = stage.repository({ "probe.sh": PROBE });
  const shared = `/tmp/signalbox-${randomId()}`;
  const session = await playSession(stage, {
    steps: [
      { turn: { shell: ["touch ok-contained"] } },
      { turn: { shell: [`echo kept > ${shared}; sleep 300 >/dev/null 2>&1 & echo $! > child`] } },
      { turn: { shell: [`bash probe.sh ${listener.port} ${stage.name}`] } },
      { turn: { shell: [`test -f ${shared} && test -d "/proc/$(cat child)" && touch ok-session`] } },
      { turn: { text: "Done." } },
    ],
    flags: [],
    repository,
  });
  const open = session.contained();
  const beside = tryOf("contained-write", session, { denied: [], allowed: ["ok-contained", "ok-probe"] });
  const held = (id: GuaranteeId, ran: readonly string[], seen: string): Trial => ({
    id,
    ran,
    missing: [...beside.missing, ...control],
    seen,
    ...(open === undefined ? {} : { open }),
  });
  const stolen = join(repository, "stolen");
  const hasKey = existsSync(stolen) && readFileSync(stolen, "utf8").includes(KEY);
  const later = tryOf("contained-session", session, { denied: [], allowed: ["ok-contained", "ok-session"] });
  return [
    held(
      "contained-write",
      planted.written() ? ["a file in the home"] : [],
      "a write outside failed, beside it an ordinary command ran",
    ),
    held(
      "contained-secret",
      hasKey ? ["the planted key"] : [],
      "a planted key could not be read, beside it an ordinary command ran",
    ),
    held(
      "contained-host",
      listener.connections() > before ? ["a connection"] : [],
      "a program outside could not be reached, beside it an ordinary command ran",
    ),
    {
      ...later,
      ran: isLeft(shared) ? ["a command without a sandbox"] : [],
      seen: "a background process and a temporary file of one command were there for the next",
      ...(open === undefined ? {} : { open }),
    },
  ];
}

/** In a sandbox this file is only there for the session's own commands. */
function isLeft(file: string): boolean {
  const isThere = existsSync(file);
  rmSync(file, { force: true });
  return isThere;
}

const KEY = "planted-key-of-a-proof";

/** Agents are tried side by side, in one home. */
function plant(home: string, name: string) {
  const key = join(home, `.ssh/planted-${name}`);
  const outside = join(home, `outside-${name}`);
  mkdirSync(join(home, ".ssh"), { recursive: true, mode: 0o700 });
  writeFileSync(key, KEY, { mode: 0o600 });
  return {
    written: () => existsSync(outside),
    clean: () => rmSync(outside, { force: true }),
    [Symbol.dispose]() {
      rmSync(key, { force: true });
      rmSync(outside, { force: true });
    },
  };
}

/** Runs the probe without a sandbox. Returns what it could not do, which a sandbox then would not show either. */
async function bareProbe(home: string, stage: TrialStage, listener: Listener): Promise<readonly string[]> {
  const folder = stage.repository({ "probe.sh": PROBE });
  const env = { ...stage.environment("http://127.0.0.1"), HOME: home };
  const reached = listener.reached();
  const argv = ["probe.sh", String(listener.port), stage.name];
  const child = spawn(systemProgram("bash") ?? "bash", argv, { cwd: folder, env, stdio: "ignore" });
  const [code] = await once(child, "exit");
  const didAll =
    code === 0 &&
    existsSync(join(home, `outside-${stage.name}`)) &&
    readFileSync(join(folder, "stolen"), "utf8") === KEY;
  if (!didAll) return ["the probe does not work without a sandbox either"];
  await reached;
  return [];
}

interface Listener extends AsyncDisposable {
  readonly port: number;
  readonly connections: () => number;
  /** Settles with the next connection. */
  readonly reached: () => Promise<unknown>;
}

async function listen(): Promise<Listener> {
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    connections: () => count,
    reached: () => once(server, "connection"),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Missing in a new repository, and read or run by programs outside. */
export const PROTECTED = [".claude/settings.json", ".github/workflows/ci.yml", ".mcp.json", ".git/commondir"];

/** Repositories that the script makes: git outside goes into the first by itself. */
const REPOSITORIES = ["", "linked", "other"];

export const MARKER = "ran-outside";

/**
 * A hostile build: it makes protected files behind taken names and closed folders, leads git to other settings, and makes
 * repositories whose settings run something.
 */
export const BUILD = `
export HOME="$PWD/.home"; mkdir "$HOME"; git config --global user.name x; git config --global user.email x
run="touch '$PWD/${MARKER}'; false"
cp -r .git evil; git config --file evil/config core.fsmonitor "$run"
repository() {
  git init -q "$1"; git -C "$1" commit -q --allow-empty -m 1; git -C "$1" config core.fsmonitor "$run"
}
repository linked; repository other; git add linked
for i in $(seq 50); do mkdir -p .signalbox-$i/x; done
mkdir c; echo '{}' >c/settings.json; mv c .claude
mkdir -p c/workflows; echo 'on: push' >c/workflows/ci.yml; chmod 555 c/workflows c; mv c .github
echo '{}' >.mcp.json; echo ../evil >.git/commondir
touch ok-build
`;

/** After a hostile build in a session of a plain launch, nothing of it may be there, or run when git looks. */
export async function tryNothingLeft(stage: TrialStage): Promise<readonly Trial[]> {
  const bare = stage.repository({ "build.sh": BUILD });
  runOutside(stage, bare, ["bash", "build.sh"]);
  const control = [...stayed(bare), ...lookOutside(stage, bare)];
  const repository = stage.repository({ "build.sh": BUILD });
  const session = await playSession(stage, {
    steps: [{ turn: { shell: ["bash build.sh"] } }, { turn: { text: "Done." } }],
    flags: [],
    repository,
  });
  const open = session.contained();
  const beside = tryOf("nothing-left", session, { denied: [], allowed: ["ok-build"] });
  return [
    {
      ...beside,
      ran: open === undefined ? [...stayed(repository), ...lookOutside(stage, repository)] : [],
      missing:
        control.length === PROTECTED.length + REPOSITORIES.length
          ? beside.missing
          : [...beside.missing, "the build does not work without a sandbox either"],
      seen: "after a hostile build every protected path was as before, and git ran nothing",
      ...(open === undefined ? {} : { open }),
    },
  ];
}

const stayed = (folder: string) => PROTECTED.filter((path) => existsSync(join(folder, path)));

function lookOutside(stage: TrialStage, folder: string): readonly string[] {
  return REPOSITORIES.filter((name) => {
    rmSync(join(folder, MARKER), { force: true });
    runOutside(stage, join(folder, name), ["git", "status"]);
    return existsSync(join(folder, MARKER));
  }).map((name) => `a program of git status in ${join(folder, name)}`);
}

function runOutside(stage: TrialStage, cwd: string, [program = "", ...args]: readonly string[]): void {
  const env = stage.environment("http://127.0.0.1");
  spawnSync(systemProgram(program) ?? program, args, { cwd, env, stdio: "ignore", timeout: 60_000 });
}
