import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseSync, Visitor } from "oxc-parser";

export type Mark = readonly [kind: string, text: string];

/** One line of a process's log: the number of a function that ran, or a mark. */
export type LogEntry = number | Mark;

const REPORTER = fileURLToPath(new URL("./report-calls.ts", import.meta.url));
const LEFT_OUT = new Set([".git", "node_modules", "dist", "test"]);

/** A copy of a checkout in which every function of src reports its calls. The checkout itself is never touched. */
export class InstrumentedTree {
  readonly place = realpathSync(mkdtempSync(join(tmpdir(), "sbw-")));
  readonly cli = join(this.place, "tree/src/cli.ts");
  readonly #calls = join(this.place, "calls");
  /** The file of each function. */
  readonly #fileOf: string[] = [];

  constructor(checkout: string) {
    const tree = join(this.place, "tree");
    cpSync(checkout, tree, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(checkout, path)) });
    symlinkSync(join(checkout, "node_modules"), join(tree, "node_modules"));
    const reporter = join(this.place, "report-calls.ts");
    cpSync(REPORTER, reporter);
    for (const file of globSync("src/**/*.ts", { cwd: tree }).toSorted()) {
      if (/\.(?:test|d)\.ts$/.test(file)) continue;
      const path = join(tree, file);
      const text = this.#instrument(file, readFileSync(path, "utf8"));
      const first = `import ${JSON.stringify(pathToFileURL(reporter).href)};__reportLoading(1, import.meta.main);`;
      writeFileSync(path, `${first}${text}\n;__reportLoading(-1, import.meta.main);\n`);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  fileOf(id: number): string {
    const file = this.#fileOf[id];
    if (file === undefined) throw new Error(`no function has the number ${id}`);
    return file;
  }

  /** Runs `work` and returns what each signalbox process reported in the meantime. */
  async logsOf(work: () => Promise<void>): Promise<readonly (readonly LogEntry[])[]> {
    rmSync(this.#calls, { recursive: true, force: true });
    mkdirSync(this.#calls);
    await work();
    return readdirSync(this.#calls).map((name) =>
      readFileSync(join(this.#calls, name), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line): LogEntry => JSON.parse(line)),
    );
  }

  #instrument(file: string, text: string): string {
    const insertions: [at: number, inserted: string][] = [];
    const enter = ({ body }: { body: Spot | null }) => {
      if (body === null) return;
      const call = `__reportCall(${this.#fileOf.push(file) - 1})`;
      if (body.type === "BlockStatement") insertions.push([body.start + 1, `${call};`]);
      else insertions.push([body.start, `(${call}, `], [body.end, ")"]);
    };
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
    const visitor = new Visitor({
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
    });
    visitor.visit(program);
    let instrumented = "";
    let copied = 0;
    for (const [at, inserted] of insertions.toSorted(([one], [other]) => one - other)) {
      instrumented += text.slice(copied, at) + inserted;
      copied = at;
    }
    return instrumented + text.slice(copied);
  }
}

interface Spot {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}
