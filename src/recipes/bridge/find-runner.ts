import { delimiter, isAbsolute, join } from "node:path";
import { loosePath } from "../../agents/loose-path.ts";
import { isInWorkspace, workspaceFolders } from "../../agents/workspace-folders.ts";
import { isExecutable, isFile } from "../../lib/is-program.ts";
import { linkHops } from "../../lib/link-hops.ts";
import { INSTALL_RUNNER, RustRunnerNotFoundError, RustRunnerPermissionError } from "./runner-error.ts";

/** Names the external runner, and chooses it when no engine is named. */
export const RUNNER_VARIABLE = "RECIPE_RUNNER_RS_PATH";

export const RUNNER_NAME = "recipe-runner-rs";

const KNOWN_FOLDERS = [".cargo/bin", ".local/bin"];

export interface FoundRunner {
  readonly path: string;
  /** With all links resolved. */
  readonly real: string;
  readonly from: typeof RUNNER_VARIABLE | "PATH" | "known place";
  /** Programs that were skipped, for the user. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the external runner: the variable, then PATH, then the known places. A variable that names no usable program is
 * an error, not a reason to try the next place. A program inside the workspace may come with the repository, so only
 * the variable can name one.
 */
export function findRunner(env: Environment, cwd: string): FoundRunner {
  const setting = env[RUNNER_VARIABLE];
  if (setting !== undefined && setting !== "") return checkedRunner(usableSetting(setting), RUNNER_VARIABLE, []);
  const avoid = workspaceFolders([cwd], env);
  const home = env["HOME"] ?? "";
  const candidates = [
    ...(env["PATH"] ?? "").split(delimiter).map((folder) => ({ folder, from: "PATH" as const })),
    ...KNOWN_FOLDERS.map((folder) => ({ folder: join(home, folder), from: "known place" as const })),
  ]
    .filter(({ folder }) => isAbsolute(folder))
    .map(({ folder, from }) => ({ path: join(folder, RUNNER_NAME), from }))
    .filter(({ path }) => isFile(path) && isExecutable(path));
  const planted: string[] = [];
  for (const { path, from } of candidates) {
    if (!isInWorkspace(path, avoid)) return checkedRunner(path, from, planted);
    planted.push(path);
  }
  throw new RustRunnerNotFoundError(`${RUNNER_NAME} was not found`, {
    where: [
      `${RUNNER_VARIABLE} (not set)`,
      "PATH",
      ...KNOWN_FOLDERS.map((folder) => `~/${folder}`),
      ...skipped(planted),
    ].join(", "),
    fix: `install it: ${INSTALL_RUNNER}; or set ${RUNNER_VARIABLE} to its path; or use --engine native`,
  });
}

const skipped = (planted: readonly string[]) =>
  planted.map((path) => `skipped ${path}: it is inside the workspace and could come with the repository`);

function usableSetting(path: string): string {
  const problem = !isAbsolute(path)
    ? "it is not an absolute path"
    : !isFile(path)
      ? "there is no such program"
      : !isExecutable(path)
        ? "the program is not executable"
        : undefined;
  if (problem === undefined) return path;
  throw new RustRunnerNotFoundError(`${RUNNER_VARIABLE} is set, but cannot be used: ${problem}`, {
    where: path.slice(0, 1000),
    fix: `set it to the full path of ${RUNNER_NAME}, or unset it`,
  });
}

function checkedRunner(path: string, from: FoundRunner["from"], planted: readonly string[]): FoundRunner {
  const hops = linkHops(path);
  const loose = loosePath(hops);
  if (loose === undefined) return { path, real: hops.at(-1) ?? path, from, warnings: skipped(planted) };
  throw new RustRunnerPermissionError(`will not start ${path}: anyone on this machine can change ${loose}`, {
    where: path,
    fix: `chmod o-w ${loose}, after checking its contents`,
  });
}
