import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { readIfThere } from "../lib/files/read-file.ts";
import { randomId } from "../lib/files/random-id.ts";
import { systemProgram } from "../lib/path/find-program.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import { type GuaranteeId, PARTLY_IDS, WHOLE_IDS } from "./guarantees.ts";
import type { TrialStage } from "./trial-stage.ts";
import { playSession, type Trial, tryOf } from "./trial.ts";

/** What the probe does is not in the command, so only a sandbox can hold it. */
const PROBE = `
cat "$3/.ssh/planted-$2" > stolen
echo written > "$3/outside-$2"
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
  const shared = `signalbox-${randomId()}`;
  const repository = stage.repository({ "probe.sh": PROBE, ...sharing(`"\${TMPDIR:-/tmp}/${shared}"`) });
  const session = await playSession(stage, {
    steps: [
      { turn: { shell: ["touch ok-contained"] } },
      { turn: { shell: ["bash share.sh"] } },
      { turn: { shell: [`bash probe.sh ${listener.port} ${stage.name} ${shQuote(home)}`] } },
      { turn: { shell: ["bash find.sh"] } },
      { turn: { text: "Done." } },
    ],
    flags: [],
    repository,
  });
  const open = session.contained();
  const [write, secret, host, together] = session.isPartly() ? PARTLY_IDS : WHOLE_IDS;
  const beside = tryOf(write, session, { denied: [], allowed: ["ok-contained", "ok-probe"] });
  const held = (id: GuaranteeId, ran: readonly string[], seen: string): Trial => ({
    id,
    ran,
    missing: [...beside.missing, ...control],
    seen,
    ...(open === undefined ? {} : { open }),
  });
  const stolen = join(repository, "stolen");
  const hasKey = existsSync(stolen) && readFileSync(stolen, "utf8").includes(KEY);
  const later = tryOf(together, session, { denied: [], allowed: ["ok-contained", "ok-session"] });
  return [
    held(
      write,
      planted.written() ? ["a file in the home"] : [],
      "a write outside failed, beside it an ordinary command ran",
    ),
    held(
      secret,
      hasKey ? ["the planted key"] : [],
      "a planted key could not be read, beside it an ordinary command ran",
    ),
    held(
      host,
      listener.connections() > before ? ["a connection"] : [],
      "a program outside could not be reached, beside it an ordinary command ran",
    ),
    {
      ...later,
      ran: isLeft(shared, stage.environment("http://127.0.0.1")["TMPDIR"]) ? ["a command without a sandbox"] : [],
      seen: "a background process and a temporary file of one command were there for the next",
      ...(open === undefined ? {} : { open }),
    },
  ];
}

/** Where temporary files are depends on the form of the sandbox. */
const sharing = (file: string) => ({
  "share.sh": `echo kept > ${file}; sleep 300 >/dev/null 2>&1 & echo $! > child\n`,
  "find.sh": `test -f ${file} && test -d "/proc/$(cat child)" && touch ok-session\n`,
});

/** In a sandbox this file is only there for the session's own commands. */
function isLeft(name: string, temporary = "/tmp"): boolean {
  const files = ["/tmp", temporary].map((folder) => join(folder, name)).filter((file) => existsSync(file));
  for (const file of files) rmSync(file, { force: true });
  return files.length > 0;
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
  const argv = ["probe.sh", String(listener.port), stage.name, home];
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

/** Protected files that are there, and a script that changes them in several ways. */
const THERE = { ".mcp.json": "{}\n", ".github/workflows/ci.yml": "on: push\n", ".claude/settings.json": "{}\n" };
const CHANGE = `
echo evil >.mcp.json; mv .github gone; ln -s gone .github; echo evil >gone/workflows/ci.yml
echo evil >new; mv new .claude/settings.json; git config core.fsmonitor "touch '$PWD/${MARKER}'; false"
touch ok-change
`;

/** Only in the weaker form can a command change protected files at all. */
export async function tryPutBack(stage: TrialStage): Promise<readonly Trial[]> {
  const files = { ...THERE, "change.sh": CHANGE };
  const bare = stage.repository(files);
  runOutside(stage, bare, ["bash", "change.sh"]);
  const control = changed(stage, bare);
  const repository = stage.repository(files);
  const session = await playSession(stage, {
    steps: [{ turn: { shell: ["bash change.sh"] } }, { turn: { text: "Done." } }],
    flags: [],
    repository,
  });
  if (!session.isPartly()) return [];
  const beside = tryOf("partly-restored", session, { denied: [], allowed: ["ok-change"] });
  return [
    {
      ...beside,
      ran: changed(stage, repository),
      missing:
        control.length === Object.keys(THERE).length + 1
          ? beside.missing
          : [...beside.missing, "the changes do not work without a sandbox either"],
      seen: "after a command that changed them, protected files were as before, and git ran nothing",
    },
  ];
}

function changed(stage: TrialStage, folder: string): readonly string[] {
  const texts = Object.entries(THERE).filter(([path, text]) => readIfThere(join(folder, path))?.toString() !== text);
  return [...texts.map(([path]) => path), ...lookOutside(stage, folder, [""])];
}

const stayed = (folder: string) => PROTECTED.filter((path) => existsSync(join(folder, path)));

function lookOutside(stage: TrialStage, folder: string, names = REPOSITORIES): readonly string[] {
  return names
    .filter((name) => {
      rmSync(join(folder, MARKER), { force: true });
      runOutside(stage, join(folder, name), ["git", "status"]);
      return existsSync(join(folder, MARKER));
    })
    .map((name) => `a program of git status in ${join(folder, name)}`);
}

function runOutside(stage: TrialStage, cwd: string, [program = "", ...args]: readonly string[]): void {
  const env = stage.environment("http://127.0.0.1");
  spawnSync(systemProgram(program) ?? program, args, { cwd, env, stdio: "ignore", timeout: 60_000 });
}
