import { doubt, type Effect, question } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word } from "../model/word.ts";
import { type KnownProgram, OWN_FOLDER, type ProgramTable, takesArgumentFiles } from "./known-program.ts";

const RUNS_TEXT = new Map(
  ["-e", "-E", "-p", "-n", "-c", "-pe", "-ne"].map((name) => [name, "runs code from its arguments"]),
)
  .set("-r", "loads other code")
  .set("-i", "waits for more code, or edits files in place");
const PYTEST_REASONS = new Map([
  ["-p", "loads a plug-in"],
  ["-o", "overrides settings, including those that load code"],
]);

/**
 * An interpreter: code in an option or on standard input cannot be judged, so it needs approval. A script file is read.
 */
function interpreter(codeOptions: string, options = ""): KnownProgram {
  return {
    options: `--version --help -V -h ${codeOptions} ${options}`,
    operands: "<:",
    style: "first",
    open: "asks",
    reasons: RUNS_TEXT,
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

/** A language's tool: loads the workspace's configuration; operands are files or filters. */
function tool(options: string): KnownProgram {
  return { options: `-h --help --version -V ${options}`, operands: "~", open: "asks", more: () => [OWN_FOLDER] };
}

const TSC =
  "-v -b -w -d -i --noEmit --build --watch --force --dry --clean --verbose --listFiles --listFilesOnly --listEmittedFiles --showConfig --init --all --locale: --pretty= --strict= --skipLibCheck= --noEmitOnError= --declaration= --declarationMap= --emitDeclarationOnly= --sourceMap= --inlineSourceMap --incremental= --composite= --esModuleInterop= --allowJs= --checkJs= --moduleResolution: --resolveJsonModule= --isolatedModules= --isolatedDeclarations= --noUnused* --noImplicit* --noFallthrough* --noUnchecked* --noProperty* --exactOptionalPropertyTypes= --strict* --forceConsistentCasingInFileNames= --allowSyntheticDefaultImports= --allowImportingTsExtensions= --allowArbitraryExtensions --experimentalDecorators= --emitDecoratorMetadata= --useDefineForClassFields= --jsxFactory: --jsxImportSource: --newLine: --removeComments= --preserveWatchOutput --preserveSymlinks --traceResolution --extendedDiagnostics --diagnostics --explainFiles --types: --typeRoots< --moduleDetection: --verbatimModuleSyntax= --erasableSyntaxOnly= --noCheck --noLib --downlevelIteration --importHelpers --customConditions: --assumeChangesOnlyAffectDirectDependencies --generateCpuProfile> --stopOnBuildErrors --ignoreDeprecations: --noErrorTruncation --sourceRoot: --mapRoot: --maxNodeModuleJsDepth: --outfile> --singleThreaded --checkers: --ignoreConfig --libReplacement= --rewriteRelativeImportExtensions=";
const PYTEST =
  "-p& -c< --rootdir< --confcutdir< -o& --override-ini& --basetemp> --junitxml> --junit-xml> --cov= --cov-config< --cov-report: --log-file> --import-mode: -k: -m: -n: -r: -W: --maxfail: --durations: --tb: --ignore< --ignore-glob: --deselect: --timeout: --pyargs --html> --resultlog> --debug= --pastebin& --pdbcls& --trace-config --dist: --color: --capture: --randomly-seed: --lf --ff -x -q -v -s -l " +
  "-hVd --version --help --exitfirst --quiet --verbose --verbosity: --no-header --no-summary --show-capture: --showlocals --no-showlocals --fulltrace --full-trace --last-failed --last-failed-no-failures: --failed-first --nf --new-first --stepwise --sw --stepwise-skip --sw-skip --cache-show= --cache-clear --collect-only --co --collect-in-virtualenv --keep-duplicates --continue-on-collection-errors --noconftest --strict --strict-config --strict-markers --markers --fixtures --funcargs --fixtures-per-test --setup-only --setup-show --setup-plan --disable-warnings --disable-pytest-warnings --pythonwarnings: --junit-prefix: --junitprefix: --doctest-modules --doctest-report: --doctest-glob: --doctest-ignore-import-errors --doctest-continue-on-failure --durations-min: --log-level: --log-format: --log-date-format: --log-cli-level: --log-cli-format: --log-file-mode: --log-file-level: --log-auto-indent: --no-cov --no-cov-on-fail --cov-append --cov-branch --cov-fail-under: --cov-context: --cov-reset --numprocesses: --maxprocesses: --looponfail --reruns: --reruns-delay: --only-rerun: --asyncio-mode: --benchmark-only --benchmark-skip --benchmark-disable --benchmark-autosave --snapshot-update --inline-snapshot= --update-snapshots --force-sugar --no-header --self-contained-html --count: --random-order --random-order-seed: --flake-finder --picked= --testmon --create-db --reuse-db --no-migrations --nomigrations --ds: --dc: --headed --browser: --slowmo: --tracing: --video: --screenshot: --output> --run-slow --runslow --integration --unit --hypothesis-seed: --hypothesis-show-statistics --hypothesis-profile: --code-highlight: --xfail-tb --report-log> --timeout-method: --session-timeout:";

const DENO =
  "-q --quiet --check= --no-check= --no-lock --lock< --frozen= --cached-only --no-remote --no-npm --node-modules-dir= --no-config --watch= --watch-exclude= --no-clear-screen --doc --doc-only --fail-fast= --parallel --shuffle= --permit-no-files --trace-leaks --no-run --clean --hide-stacktraces --seed: --location: --v8-flags& --unstable --unstable-* --allow-read= --allow-write= --allow-net= --allow-env= --allow-sys= --allow-import= --deny-read= --deny-write= --deny-net= --deny-env= --deny-run= -R= -W= -N= -E= -S= --allow-ffi? --all --ext: --ignore= --fix --rules --rules-tags= --rules-exclude= --rules-include= --json --compact --indent-width: --line-width: --single-quote= --use-tabs= --no-semicolons= --prose-wrap: --options-* --coverage-raw-data-only --ignore-env= --env-file= --cert< --permit-no-files -j: -c< --config<";

/** Interpreters, test runners, linters and formatters. */
export const LANGUAGE_PROGRAMS: ProgramTable = {
  node: interpreter(
    "-e& -p& --eval& --print& -pe& -i? --interactive?",
    "-r& --require& --import& --loader& --experimental-loader& --env-file< --env-file-if-exists< --inspect= --test --watch --experimental-strip-types --no-warnings --enable-source-maps --test-name-pattern: --test-reporter: --test-reporter-destination> -C: --conditions: --test-concurrency: --test-timeout: --test-shard: --max-old-space-size: --check -c --openssl-config& --icu-data-dir& --snapshot-blob& --build-snapshot? --watch-path: -vh --version --help --test-only --test-force-exit --test-coverage-include: --test-coverage-exclude: --test-coverage-lines: --test-coverage-branches: --test-coverage-functions: --test-isolation: --experimental-test-isolation: --experimental-test-coverage --experimental-test-module-mocks --test-skip-pattern: --test-update-snapshots --test-rerun-failures> --experimental-transform-types --experimental-vm-modules --experimental-test-snapshots --no-experimental-strip-types --experimental-sqlite --experimental-websocket --experimental-fetch --no-deprecation --trace-warnings --trace-deprecation --trace-uncaught --throw-deprecation --unhandled-rejections: --stack-trace-limit: --preserve-symlinks --expose-gc --harmony --max-semi-space-size: --disable-warning: --input-type: --run: --watch-preserve-output --trace-exit --v8-options --title: --use-openssl-ca --use-system-ca --dns-result-order: --pending-deprecation --cpu-prof --cpu-prof-dir> --cpu-prof-name> --heap-prof --heap-prof-dir> --diagnostic-dir> --report-dir> --stack-size: --permission --test-global-setup&",
  ),
  deno: interpreter("-e& --eval&", "-A? --allow-all? --version -V --help -h"),
  ...Object.fromEntries(["lint", "fmt", "check"].map((sub) => [`deno ${sub}`, tool(DENO)])),
  "deno test": tool(
    `${DENO} -A? --allow-all? --allow-run= --filter: --coverage> --junit-path> --reporter: -c< --config< --import-map< --preload& -r? --reload?`,
  ),
  ...Object.fromEntries(
    ["python", "python2", "python3"].map((name) => [
      name,
      interpreter("-c& -i?", "-m: -W: -X: -bBdEIOPqsSuvx --check-hash-based-pycs:"),
    ]),
  ),
  perl: interpreter("-e& -E& -pe& -ne& -i? -p? -n? -M& -m&", "-vwcWtT -I& -x&"),
  ruby: interpreter("-e& -r& -n? -p?", "-vwcW -I& -C/ -x& -E: --yjit --jit --disable: --enable:"),
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
          more: () => [doubt("opaque-code", "can run commands in its own language")],
        },
      ]),
  ),
  pytest: takesArgumentFiles({
    options: PYTEST,
    operands: "~",
    open: "asks",
    reasons: PYTEST_REASONS,
    more: testFiles,
  }),
  tsc: tool(
    "-p< --project< --outDir> --outFile> --declarationDir> --tsBuildInfoFile> --generateTrace> --generateCpuProfile> --target: --module: --jsx: --lib: -t: -m: --rootDir< --baseUrl< --plugins& " +
      TSC,
  ),
  eslint: tool(
    "-c< --config< --rulesdir< --resolve-plugins-relative-to< --plugin& --parser& -f: --format: -o> --output-file> --cache-location> --ext: --rule: --ignore-path< --ignore-pattern: --max-warnings: --stdin-filename: --env: --global: --parser-options: -q --fix --fix-dry-run --fix-type: --quiet --cache --cache-strategy: --cache-file> --no-eslintrc --no-config-lookup --no-ignore --no-inline-config --report-unused-disable-directives --report-unused-disable-directives-severity: --report-unused-inline-configs: --debug --env-info --color --no-color --init? --print-config: --stdin --no-error-on-unmatched-pattern --exit-on-fatal-error --no-warn-ignored --pass-on-no-patterns --stats --flag: --inspect-config? --suppress-all --suppress-rule: --suppressions-location> --prune-suppressions --concurrency: --pass-on-unpruned-suppressions --mcp?",
  ),
  prettier: {
    options:
      "-hu --help --version --no-config --config-precedence: --no-editorconfig --no-semi --single-quote --jsx-single-quote --trailing-comma: --arrow-parens: --prose-wrap: --end-of-line: --use-tabs --bracket-same-line --no-bracket-spacing --quote-props: --html-whitespace-sensitivity: --embedded-language-formatting: --ignore-unknown --no-error-on-unmatched-pattern --no-color --color --loglevel: --cache --cache-strategy: --with-node-modules --insert-pragma --require-pragma --support-info --file-info: --find-config-file: --experimental-cli --object-wrap: --single-attribute-per-line --config< --plugin& --ignore-path< --cache-location> --parser: --stdin-filepath: --tab-width: --print-width: --log-level: --find-config-path: -w --write -c --check -l --list-different",
    operands: ":",
    open: "asks",
    more: (given) => writesWhen(given, /^(?:-w|--write)$/),
  },
  vitest: tool(
    "-c< --config< --root/ -r/ --dir< -t: --testNamePattern: --reporter: --outputFile> --pool: --environment: --project: --coverage --coverage.reportsDirectory> --globalSetup& --setupFiles& --execArgv& --shard: --bail: --retry: --testTimeout: -uwv -w= --run --watch= --no-watch --update= --ui= --open= --silent= --hideSkippedTests --api= --isolate --no-isolate --no-isolation --globals --dom --browser= --browser.* --coverage.* --pool.* --poolOptions.* --fileParallelism= --no-file-parallelism --no-fileParallelism --maxWorkers: --minWorkers: --maxConcurrency: --changed= --sequence.* --hookTimeout: --teardownTimeout: --passWithNoTests --allowOnly= --dangerouslyIgnoreUnhandledErrors --inspect= --inspect-brk= --logHeapUsage --clearScreen= --standalone --related --exclude: --typecheck= --typecheck.* --mode: --no-color --color --expandSnapshotDiff --disable-console-intercept --disableConsoleIntercept --slowTestThreshold: --printConsoleTrace --includeTaskLocation --attachmentsDir> --mergeReports= --listTags= --tagsFilter: --clearCache --configLoader: --cache= --diff& --snapshotFormat& --workspace& --includeSource --filesOnly --json=",
  ),
  jest: tool(
    "-c< --config< --coverage --rootDir/ --roots< -t: --testNamePattern: --testPathPattern: --reporters: --filter& --globalSetup& --globalTeardown& --setupFiles& --setupFilesAfterEnv& --runner& --transform& --resolver& --testRunner& --testEnvironment: --coverageDirectory> --outputFile> --cacheDirectory> --selectProjects: --maxWorkers: -w: --shard: -biouvfe --watch --watchAll= --no-watch --no-coverage --ci= --bail= --verbose= --silent= --runInBand --onlyChanged --onlyFailures --lastCommit --changedSince: --findRelatedTests --listTests --passWithNoTests --updateSnapshot --detectOpenHandles --forceExit --json --no-cache --cache= --clearCache --clearMocks --resetMocks --restoreMocks --resetModules --collectCoverageFrom: --coverageReporters: --coverageProvider: --coverageThreshold: --testTimeout: --testMatch: --testRegex: --testPathIgnorePatterns: --testPathPatterns: --ignoreProjects: --projects< --color --colors --no-color --errorOnDeprecated --expand --logHeapUsage --noStackTrace --notify --randomize --seed: --showSeed --useStderr --workerIdleMemoryLimit: --workerThreads --openHandlesTimeout: --testSequencer& --testResultsProcessor& --testLocationInResults --showConfig --debug --injectGlobals= --maxConcurrency: --moduleDirectories: --rootDir/ --waitForUnhandledRejections --env&",
  ),
  mocha: tool(
    "-r& --require& --import& --config< -g: --grep: -f: --reporter: -R: -t: --timeout: --spec< -abcdipswASGC -j: -n: --bail --exit --forbid-only --forbid-pending --full-trace --check-leaks --colors --color --no-color --no-colors --diff --no-diff --inline-diffs --recursive --sort --parallel --jobs: --retries: --slow: --ui: -u: --fgrep: --invert --delay --dry-run --global: --allow-uncaught --async-only --extension: --ext: --file& --ignore: --exclude: --package< --opts< --no-config --no-opts --no-package --watch --watch-files: --watch-ignore: --reporter-option: --reporter-options: -O: --timeouts: --node-option& --inspect= --inspect-brk= --fail-zero --pass-on-failing-test-suite --posix-exit-codes",
  ),
  ruff: takesArgumentFiles({
    options:
      "--config~ --output-file> -o> --cache-dir> --select: --ignore: --extend-select: --exclude: --line-length: --target-version: --output-format: --stdin-filename: --isolated -qsvnewh --fix --no-fix --unsafe-fixes --no-unsafe-fixes --fix-only --no-fix-only --show-fixes --diff --watch --check --preview --no-preview --statistics --exit-zero --exit-non-zero-on-fix --exit-non-zero-on-format --add-noqa= --show-files --show-settings --extend-exclude: --extend-ignore: --fixable: --unfixable: --extend-fixable: --per-file-ignores: --extend-per-file-ignores: --respect-gitignore --no-respect-gitignore --force-exclude --no-force-exclude --no-cache -n --extension: --ignore-noqa --quiet --verbose --silent --version --help --color: --range: --show-source --all --python:",
    operands: ":~",
    open: "asks",
  }),
  mypy: takesArgumentFiles(
    tool(
      "--python-executable! --config-file< --custom-typeshed-dir< --cache-dir> --shadow-file& --junit-xml> --html-report> --txt-report> --python-version: --platform: -p: -m: -c& --exclude: --plugin& --install-types? -v -V -i --no-error-summary --strict --no-strict-optional --strict-optional --pretty --no-pretty --show-error-codes --hide-error-codes --show-error-context --show-column-numbers --show-error-end --show-absolute-path --show-traceback --tb --show-error-code-links --color-output --no-color-output --error-summary --soft-error-limit: --ignore-missing-imports --follow-imports: --follow-untyped-imports --no-incremental --incremental --namespace-packages --no-namespace-packages --explicit-package-bases --no-site-packages --no-silence-site-packages --disallow-* --allow-* --check-untyped-defs --warn-* --no-warn-* --no-implicit-optional --implicit-optional --no-implicit-reexport --implicit-reexport --extra-checks --strict-equality --strict-bytes --local-partial-types --enable-error-code: --disable-error-code: --enable-incomplete-feature: --always-true: --always-false: --module: --package: --command& --non-interactive --skip-version-check --skip-cache-mtime-checks --fast-module-lookup --exclude-gitignore --verbose --sqlite-cache --cache-fine-grained --any-exprs-report> --cobertura-xml-report> --linecount-report> --lineprecision-report> --xml-report> --xslt-html-report> --xslt-txt-report> --linecoverage-report> --junit-format: --find-occurrences: --scripts-are-modules --output: -O: --num-workers: -n: --dump-build-stats --untyped-calls-exclude: --no-strict-equality",
    ),
  ),
  black: {
    options:
      "-l: --line-length: -t: --target-version: --config< --include: --exclude: --extend-exclude: --force-exclude: --stdin-filename: -c& --code& -w: --workers: -q -v --check --diff -S -C --fast --safe --skip-string-normalization --skip-magic-trailing-comma --skip-source-first-line --preview --unstable --enable-unstable-feature: --pyi --ipynb --python-cell-magics: --color --no-color --quiet --verbose --version --required-version: --line-ranges: -h --help --no-cache --cache-dir>",
    operands: ":",
    open: "asks",
    more: (given) => writesUnless(given, /^(?:--check|--diff)$/),
  },
  rspec: tool(
    "-r& --require& -I& -O< --options< -f: --format: -o> --out> -e: --example: -t: --tag: -P: --pattern: -bcdnwE -E: -j: --fail-fast= --no-fail-fast --next-failure --only-failures --bisect= --color --force-color --no-color --colour --no-profile --profile= --dry-run --order: --seed: --backtrace --deprecation-out> --drb? --default-path< --example-matches: --exclude-pattern: --init --failure-exit-code: --error-exit-code: --fail-if-no-examples --warnings --version --no-format --force-colour -v",
  ),
  biome: tool(
    "--config-path< --stdin-file-path: --write --fix --unsafe --apply --apply-unsafe --changed --staged --since: --only: --skip: --max-diagnostics: --diagnostic-level: --error-on-warnings --no-errors-on-unmatched --reporter: --reporter-file> --colors: --verbose --log-level: --log-kind: --log-file> --log-path> --log-prefix-name: --files-ignore-unknown= --files-max-size: --formatter-enabled= --linter-enabled= --assist-enabled= --organize-imports-enabled= --enforce-assist= --indent-style: --indent-width: --line-width: --line-ending: --quote-style: --jsx-quote-style: --trailing-commas: --semicolons: --arrow-parentheses: --bracket-spacing= --attribute-position: --vcs-enabled= --vcs-client-kind: --vcs-use-ignore-file= --vcs-root< --vcs-default-branch: --json-* --css-* --javascript-* --use-server? --skip-parse-errors --suppress --reason: --html-* --graphql-* --threads:",
  ),
  oxlint: tool(
    "-c< --config< -A: -W: -D: -f: -q -v --allow: --warn: --deny: --fix --fix-suggestions --fix-dangerously --quiet --deny-warnings --max-warnings: --format: --silent --threads: --print-config --init --rules --tsconfig< --ignore-path< --ignore-pattern: --no-ignore --symlinks --import-plugin --react-plugin --jsx-a11y-plugin --nextjs-plugin --jest-plugin --vitest-plugin --node-plugin --promise-plugin --jsdoc-plugin --vue-plugin --react-perf-plugin --disable-* --report-unused-disable-directives --report-unused-disable-directives-severity: --experimental-nested-config --disable-nested-config --type-aware --type-check --lsp?",
  ),
};

/** `tests/test_a.py::test_b` names a file. */
function testFiles(given: Arguments): readonly Effect[] {
  const files = given.operands.flatMap((operand): readonly Effect[] =>
    operand.text.includes("::")
      ? [{ kind: "guess", word: { ...operand, text: operand.text.split("::", 1)[0] ?? "" } }]
      : [],
  );
  return [OWN_FOLDER, ...files, ...emptied(given)];
}

/** `--basetemp`: pytest deletes the folder and its content before it starts. */
function emptied({ options }: Arguments): readonly Effect[] {
  const folder = options.find(({ name }) => name === "--basetemp")?.value;
  if (folder === undefined) return [];
  const spare = /^\/tmp\/[^/]|(?:^|\/)\.?(?:te?mp|pytest)[\w.-]*\/?$/.test(folder.text) && !folder.text.includes("..");
  return [
    { kind: "delete", word: folder },
    ...(spare
      ? []
      : [question("throws-away", `pytest removes the folder ${folder.text.replaceAll(UNKNOWN, "…")} first`)]),
  ];
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
