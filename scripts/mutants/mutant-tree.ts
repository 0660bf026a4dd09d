import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { endTree } from "../../src/lib/process/end-tree.ts";
import { isRecord } from "../../src/lib/json/json-value.ts";

/** Test results: the names of failed tests, and how long each file took. */
export interface TestRun {
  readonly failed: readonly string[];
  readonly failedFiles: readonly string[];
  readonly timedOut: boolean;
  readonly seconds: ReadonlyMap<string, number>;
}

const BUILD_SECONDS = 600;

/** A copy of the tree in which mutants are created and tested; the working tree is never touched. */
export class MutantTree {
  readonly #place = mkdtempSync(join(tmpdir(), "sbm-"));
  readonly #tree = join(this.#place, "tree");
  readonly #projects: readonly string[];

  /** Only tests of these projects of vitest are run. */
  constructor(root: string, projects: readonly string[]) {
    this.#projects = projects;
    // Some tests look at their files as another user.
    chmodSync(this.#place, 0o755);
    const listed = spawnSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
    for (const file of listed.stdout.split("\0").filter((path) => path !== "" && existsSync(join(root, path)))) {
      mkdirSync(dirname(join(this.#tree, file)), { recursive: true });
      cpSync(join(root, file), join(this.#tree, file), { verbatimSymlinks: true });
    }
    symlinkSync(join(root, "node_modules"), join(this.#tree, "node_modules"));
    // Some tests query git about the repository that contains them.
    spawnSync("git", ["init", "-q"], { cwd: this.#tree });
  }

  /** Ends what is running in the copy and removes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await endTree({ id: this.#place });
    rmSync(this.#place, { recursive: true, force: true });
  }

  readonly #tool = (name: string) => join(this.#tree, "node_modules/.bin", name);

  read(file: string): string {
    return readFileSync(join(this.#tree, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#tree, file), text);
  }

  /** Runs test files until the first failure. Any processes they leave running are ended. */
  async test(files: readonly string[], { seconds, bail }: { seconds: number; bail: boolean }): Promise<TestRun> {
    if (files.length === 0) return { failed: [], failedFiles: [], timedOut: false, seconds: new Map() };
    const report = join(this.#place, "report.json");
    rmSync(report, { force: true });
    const args = ["run", "--no-cache", `--fsModuleCachePath=${join(this.#place, "cache")}`];
    args.push(...this.#projects.flatMap((name) => ["--project", name]));
    args.push("--reporter=json", `--outputFile=${report}`, ...(bail ? ["--bail=1"] : []), ...files);
    const { code, timedOut } = await this.#run(this.#tool("vitest"), args, seconds);
    if (timedOut) return { failed: [], failedFiles: [], timedOut, seconds: new Map() };
    const { failed, ...rest } = readReport(report, this.#tree);
    // All tests may pass although an error was thrown where no test could catch it.
    return { ...rest, failed: code !== 0 && failed.length === 0 ? ["an uncaught error"] : failed, timedOut };
  }

  /** Whether the tree compiles. */
  async compiles(): Promise<boolean> {
    return (await this.#run(this.#tool("tsc"), ["--noEmit"], BUILD_SECONDS)).code === 0;
  }

  /** Builds the release that whole-system tests start, because each start from the sources takes ten times as long. */
  async build(): Promise<boolean> {
    return (await this.#run(process.execPath, ["scripts/build.ts"], BUILD_SECONDS)).code === 0;
  }

  async #run(program: string, args: readonly string[], seconds: number) {
    const id = randomBytes(12).toString("hex");
    const folders = { HOME: join(this.#place, id, "home"), TMPDIR: join(this.#place, id, "tmp") };
    for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
    const child = spawn(program, args, {
      cwd: this.#tree,
      env: { ...process.env, ...folders, SIGNALBOX_MUTANT: id },
      stdio: "ignore",
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, seconds * 1000);
    const [code] = await once(child, "close");
    clearTimeout(timer);
    await endTree({ id });
    rmSync(join(this.#place, id), { recursive: true, force: true });
    return { code: Number(code), timedOut };
  }
}

const list = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);

/** vitest's JSON report. If it is missing, vitest broke before any test, which counts as a failure. */
function readReport(path: string, tree: string): Omit<TestRun, "timedOut"> {
  const report: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  if (!isRecord(report)) return { failed: ["vitest did not run"], failedFiles: [], seconds: new Map() };
  const files = list(report["testResults"]);
  const failures = files.flatMap((file) => {
    const tests = list(file["assertionResults"]).filter(({ status }) => status === "failed");
    if (file["status"] !== "failed") return [];
    return tests.length > 0 ? tests.map(({ fullName }) => String(fullName)) : [`${String(file["name"])} does not load`];
  });
  const name = (file: Readonly<Record<string, unknown>>) => relative(tree, String(file["name"]));
  return {
    failed: failures,
    failedFiles: files.filter(({ status }) => status === "failed").map(name),
    seconds: new Map(files.map((file) => [name(file), (Number(file["endTime"]) - Number(file["startTime"])) / 1000])),
  };
}
