import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemProgram } from "../lib/system-program.ts";
import { playSession } from "./session.ts";
import type { TrialPlace } from "./trial-place.ts";
import { type Trial, tryOf } from "./trial.ts";

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
export async function tryNothingLeft(stage: TrialPlace): Promise<readonly Trial[]> {
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

function lookOutside(stage: TrialPlace, folder: string): readonly string[] {
  return REPOSITORIES.filter((name) => {
    rmSync(join(folder, MARKER), { force: true });
    runOutside(stage, join(folder, name), ["git", "status"]);
    return existsSync(join(folder, MARKER));
  }).map((name) => `a program of git status in ${join(folder, name)}`);
}

function runOutside(stage: TrialPlace, cwd: string, [program = "", ...args]: readonly string[]): void {
  const env = stage.environment("http://127.0.0.1");
  spawnSync(systemProgram(program) ?? program, args, { cwd, env, stdio: "ignore", timeout: 60_000 });
}
