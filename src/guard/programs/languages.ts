import { doubt, type Effect } from "../shell/effect.ts";
import type { Arguments } from "../shell/options.ts";
import { UNKNOWN, type Word } from "../shell/word.ts";
import type { Program, ProgramTable } from "./program.ts";
import { OWN_FOLDER } from "./unlisted-options.ts";

/** An interpreter: code in an option or on standard input is not judged, so it is asked about. A script file is read. */
function interpreter(codeOptions: string, options = ""): Program {
  return {
    options: `${codeOptions} ${options}`,
    operands: "<:",
    style: "first",
    open: true,
    more: (given, words) => inlineEffects(given, words),
  };
}

function inlineEffects(given: Arguments, words: readonly Word[]): readonly Effect[] {
  const script = given.operands[0]?.text;
  const informs = words.length > 0 && words.every(({ text }) => /^(?:-v|-V|--version|-h|--help|-version)$/.test(text));
  if (informs) return [];
  if (script === undefined || script === "-" || script.startsWith("/dev/")) {
    const ordinary = given.options.some(({ name }) => name === "--test" || name === "-m" || name === "--check");
    return ordinary
      ? [OWN_FOLDER]
      : [doubt("opaque-code", "the program to run comes from an option or from standard input")];
  }
  return [OWN_FOLDER];
}

/** A tool of a language: loads the workspace's own configuration; operands are files or filters. */
function tool(options: string): Program {
  return { options, operands: "~", open: true, more: () => [OWN_FOLDER] };
}

const PYTEST =
  "-p& -c< --rootdir< --confcutdir< -o& --override-ini& --basetemp> --junitxml> --junit-xml> --cov= --cov-config< --cov-report: --log-file> --import-mode: -k: -m: -n: -r: -W: --maxfail: --durations: --tb: --ignore< --ignore-glob: --deselect: --timeout: --pyargs --html> --resultlog> --debug= --pastebin& --pdbcls& --trace-config --dist: --color: --capture: --randomly-seed: --lf --ff -x -q -v -s -l";

/** Interpreters, compilers, test runners, linters and formatters. */
export const LANGUAGE_PROGRAMS: ProgramTable = {
  node: interpreter(
    "-e& -p& --eval& --print& -pe& -i? --interactive?",
    "-r& --require& --import& --loader& --experimental-loader& --env-file< --env-file-if-exists< --inspect= --test --watch --experimental-strip-types --no-warnings --enable-source-maps --test-name-pattern: --test-reporter: --test-reporter-destination> -C: --conditions: --test-concurrency: --test-timeout: --test-shard: --max-old-space-size: --check -c --openssl-config& --icu-data-dir& --snapshot-blob& --build-snapshot? --watch-path:",
  ),
  deno: interpreter("-e& --eval&", "-A? --allow-all?"),
  "deno test": tool(
    "-A? --allow-all? --allow-run= --filter: --coverage> --junit-path> --reporter: -c< --config< --import-map< --preload& -r? --reload?",
  ),
  ...Object.fromEntries(
    ["python", "python2", "python3"].map((name) => [
      name,
      interpreter("-c& -i?", "-m: -W: -X: --check-hash-based-pycs:"),
    ]),
  ),
  perl: interpreter("-e& -E& -pe& -ne& -i? -p? -n? -M& -m&"),
  ruby: interpreter("-e& -r& -n? -p?"),
  php: {
    options: "-r& -a? -d& -c< -f< -B& -R& -E& -S& -t/ -z& -l< -n -v -m -i?",
    operands: "<:",
    style: "first",
    more: (given, words) =>
      given.options.some(({ name }) => name === "-l" || name === "-f") ? [] : inlineEffects(given, words),
  },
  ...Object.fromEntries(
    "lua tclsh irb guile ghci Rscript osascript expect gdb lldb sqlite3 psql mysql redis-cli mongo mongosh vim vi nvim ed ex emacs nano pwsh powershell fish zsh-newuser bc dc jshell scala erl iex elixir julia octave R wish gnuplot m4 ldd screen tmux"
      .split(" ")
      .map((name) => [
        name,
        {
          options: "",
          operands: "~",
          open: true,
          more: () => [doubt("opaque-code", "it can run commands of its own language")],
        },
      ]),
  ),
  ...Object.fromEntries(
    ["gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ld", "as"].map((name) => [
      name,
      {
        options: "-o> -I< -L< -l: -D: -x: -B& -T& --sysroot& -specs& -wrapper& -fplugin& -Xlinker& -Wl:",
        operands: "~",
        open: true,
        more: (given: Arguments) =>
          given.operands.some(({ text }) => text === "-")
            ? [doubt("opaque-code", "the source comes from standard input")]
            : [],
      },
    ]),
  ),
  pytest: { options: PYTEST, operands: "~", open: true, more: testFiles },
  tsc: tool(
    "-p< --project< --outDir> --outFile> --declarationDir> --tsBuildInfoFile> --generateTrace> --generateCpuProfile> --target: --module: --jsx: --lib: -t: -m: --rootDir< --baseUrl< --plugins&",
  ),
  eslint: tool(
    "-c< --config< --rulesdir< --resolve-plugins-relative-to< --plugin& --parser& -f: --format: -o> --output-file> --cache-location> --ext: --rule: --ignore-path< --ignore-pattern: --max-warnings: --stdin-filename: --env: --global: --parser-options:",
  ),
  prettier: {
    options:
      "--config< --plugin& --ignore-path< --cache-location> --parser: --stdin-filepath: --tab-width: --print-width: --log-level: --find-config-path: -w --write -c --check -l --list-different",
    operands: ":",
    open: true,
    more: (given) => writesWhen(given, /^(?:-w|--write)$/),
  },
  vitest: tool(
    "-c< --config< --root/ -r/ --dir< -t: --testNamePattern: --reporter: --outputFile> --pool: --environment: --project: --coverage --coverage.reportsDirectory> --globalSetup& --setupFiles& --execArgv& --shard: --bail: --retry: --testTimeout:",
  ),
  jest: tool(
    "-c< --config< --coverage --rootDir/ --roots< -t: --testNamePattern: --testPathPattern: --reporters: --filter& --globalSetup& --globalTeardown& --setupFiles& --setupFilesAfterEnv& --runner& --transform& --resolver& --testRunner& --testEnvironment: --coverageDirectory> --outputFile> --cacheDirectory> --selectProjects: --maxWorkers: -w: --shard:",
  ),
  mocha: tool("-r& --require& --import& --config< -g: --grep: -f: --reporter: -R: -t: --timeout: --spec<"),
  ruff: {
    options:
      "--config~ --output-file> -o> --cache-dir> --select: --ignore: --extend-select: --exclude: --line-length: --target-version: --output-format: --stdin-filename: --isolated",
    operands: ":~",
    open: true,
  },
  mypy: tool(
    "--python-executable! --config-file< --custom-typeshed-dir< --cache-dir> --shadow-file& --junit-xml> --html-report> --txt-report> --python-version: --platform: -p: -m: -c& --exclude: --plugin& --install-types?",
  ),
  black: {
    options:
      "-l: --line-length: -t: --target-version: --config< --include: --exclude: --extend-exclude: --force-exclude: --stdin-filename: -c& --code& -w: --workers: -q -v --check --diff -S -C --fast --safe",
    operands: ":",
    open: true,
    more: (given) => writesUnless(given, /^(?:--check|--diff)$/),
  },
  rspec: tool("-r& --require& -I& -O< --options< -f: --format: -o> --out> -e: --example: -t: --tag: -P: --pattern:"),
  biome: tool("--config-path< --stdin-file-path:"),
  oxlint: tool("-c< --config<"),
};

/** `tests/test_a.py::test_b` names a file. */
function testFiles(given: Arguments): readonly Effect[] {
  const files = given.operands.flatMap((operand): readonly Effect[] =>
    operand.text.includes("::")
      ? [{ kind: "guess", word: { ...operand, text: operand.text.split("::", 1)[0] ?? "" } }]
      : [],
  );
  return [OWN_FOLDER, ...files];
}

function writesWhen(given: Arguments, option: RegExp): readonly Effect[] {
  const writes = given.options.some(({ name }) => option.test(name));
  return given.operands
    .filter(({ text }) => !text.includes(UNKNOWN))
    .map((operand): Effect => ({ kind: writes ? "write" : "read", word: operand }));
}

function writesUnless(given: Arguments, option: RegExp): readonly Effect[] {
  const looks = given.options.some(({ name }) => option.test(name));
  return given.operands.map((operand): Effect => ({ kind: looks ? "read" : "write", word: operand }));
}
