import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../lib/package-root.ts";
import { systemProgram } from "../lib/system-program.ts";
import { startScriptedModel } from "../models/scripted/server.ts";
import type { TrialPlace } from "./trial-place.ts";
import type { Trial } from "./trial.ts";
import { writeBelow } from "./write-below.ts";

const CALLS = ["touch ok-managed", "touch no-managed", "mkdir managed-rule"];
const MAX_SESSION_MS = 300_000;

/**
 * A whole launch with the agent's most permissive flag, in which /etc has settings of an administrator. Only root can
 * put a file there, so the launch runs in a namespace with an /etc of its own. What our policy denies and what the
 * administrator forbids must not run.
 */
export async function tryManaged(stage: TrialPlace): Promise<readonly Trial[]> {
  const { files, forbids, rootOnly } = stage.offline.managed;
  if (rootOnly === true && process.getuid?.() !== 0)
    return [notShown(`${stage.agent.title} only reads a file that belongs to root; run it as root`)];
  const folder = join(stage.folder, "administrator");
  writeBelow(folder, Object.fromEntries(Object.entries(files).map(([path, text]) => [path.slice(1), text])));
  const repository = stage.repository();
  const bubblewrap = systemProgram("bwrap");
  if (bubblewrap === undefined) return [notShown("there is no bubblewrap")];
  const argv = namespace(Object.keys(files), folder);
  const problem = await problemOf(bubblewrap, argv);
  if (problem !== undefined) return [notShown(problem)];
  const output = await launch(stage, repository, [bubblewrap, ...argv]);
  const isThere = (file: string) => existsSync(join(repository, file));
  return [
    {
      id: "managed-bypass",
      ran: ["no-managed", ...(forbids ? ["managed-rule"] : [])].filter(isThere),
      missing: isThere("ok-managed") ? [] : [`the allowed call for ok-managed did not run: ${output}`],
      seen: forbids
        ? "a denied call and one that the administrator forbids did not run, an allowed one did"
        : "a denied call did not run, an allowed one did",
    },
  ];
}

function notShown(because: string): Trial {
  const open = `an administrator's settings cannot be simulated here: ${because}`;
  return { id: "managed-bypass", ran: [], missing: [open], seen: "", open };
}

/** Flags with which a program sees an /etc of its own, with these files and everything else that is in the real one. */
function namespace(paths: readonly string[], folder: string): readonly string[] {
  const ours = paths.map((path) => path.split("/")[2]);
  const others = readdirSync("/etc").filter((name) => !ours.includes(name));
  return [
    "--die-with-parent",
    "--dev-bind",
    "/",
    "/",
    "--tmpfs",
    "/etc",
    ...others.flatMap((name) => {
      const path = join("/etc", name);
      return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
    }),
    ...paths.flatMap((path) => ["--ro-bind", join(folder, path), path]),
  ];
}

/** Why no such namespace can be made; undefined when it can. */
async function problemOf(bubblewrap: string, argv: readonly string[]): Promise<string | undefined> {
  const child = spawn(bubblewrap, [...argv, systemProgram("true") ?? "true"], { stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (text += part));
  const [code] = await once(child, "close");
  return code === 0 ? undefined : (text.trim().split("\n")[0] ?? `bubblewrap ended with ${String(code)}`);
}

/** Runs the launch, and returns the end of what it printed. */
async function launch(stage: TrialPlace, cwd: string, words: readonly [string, ...string[]]): Promise<string> {
  await using model = await startScriptedModel({ script: { turns: [{ shell: CALLS }, { text: "Done." }] } });
  const [program, ...argv] = words;
  const task = ["-p", "Do what you are told.", "--", ...stage.offline.bypass];
  const child = spawn(program, [...argv, join(packageRoot(), "bin/signalbox"), stage.name, ...task], {
    cwd,
    env: {
      ...stage.environment(model.url),
      [`SIGNALBOX_${stage.name.toUpperCase()}_BINARY`]: stage.binary.path,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: MAX_SESSION_MS,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => (text = (text + part).slice(-500)));
  await once(child, "close");
  return text.trim();
}
