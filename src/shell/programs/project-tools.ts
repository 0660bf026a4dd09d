import { doubt, type Effect, question } from "../model/effect.ts";
import { UNKNOWN, word } from "../model/word.ts";
import {
  type KnownProgram,
  needsApproval,
  OWN_FOLDER,
  type ProgramTable,
  starts,
  subcommands,
  works,
} from "./known-program.ts";
import type { Arguments } from "./options.ts";

const STACK =
  "--fast --pedantic --file-watch --force-dirty --coverage --no-coverage --haddock --no-haddock --test --no-test --bench --no-bench --no-run-tests --no-run-benchmarks --dry-run --only-dependencies --only-snapshot --only-locals --keep-going --no-keep-going --ghc-options& --flag: --test-arguments: --ta: --benchmark-arguments: --ba: --test-suite-timeout: --profile --no-profile --library-profiling --executable-profiling -j: --jobs: -v --verbose --silent --verbosity: --resolver: --snapshot: --stack-yaml^ --exec& --copy-bins? --local-bin-path> --with-gcc& --work-dir> --system-ghc --no-system-ghc --install-ghc --no-install-ghc --color: --ddump-dir> --reconfigure --skip: --target: --external --depth: --prune: --json";

const CABAL =
  "-vnO -j= -f: -w& -c: -O* -v* --with-compiler& --with-ghc& --with-hc-pkg& --ghc-options& --ghc-option& --project-file^ --project-dir/ --builddir> --dry-run --only-dependencies --enable-tests --disable-tests --enable-benchmarks --disable-benchmarks --enable-coverage --enable-profiling --disable-profiling --enable-documentation --enable-optimization --disable-optimization --test-show-details: --test-option: --test-options: --test-keep-tix-files --test-log: --benchmark-option: --benchmark-options: --flags: --constraint: --allow-newer= --allow-older= --jobs= --keep-going --offline --verbose= --haddock-all --haddock-html --minimize-conflict-set --prefer-oldest --semaphore";

const DUNE =
  "-fwp -j: -x: --root/ --workspace& --profile: --display: --watch --auto-promote --promote-install-files= --force --release --build-dir> --verbose --only-packages: --always-show-command-line --ignore-promoted-rules --no-buffer --cache: --instrument-with: --error-reporting: --stop-on-first-error --terminal-persistence: --default-target: --config-file& --no-config --diff-command& --trace-file> --dep-path: --lang: --format:";

const ZIG =
  "-O: -O* -D* -D: -target: -mcpu: -mcpu=* -l* -lc -I< -I* -L< -L* -f* -femit-bin> -femit-asm> -femit-h> -fno-emit-bin -isystem< --name: --test-filter: -Dtest-filter=* --test-name-prefix: --test-cmd& --test-cmd-bin? --test-no-exec --summary: --verbose --verbose-cc --verbose-link --watch --fetch --release= --seed: --color: --prefix> -p> --prefix-exe-dir> --prefix-lib-dir> --cache-dir> --global-cache-dir> --zig-lib-dir& --build-file& --build-runner& --system& --libc& --search-prefix& --sysroot& --library: --mod& --dep: -M* --check --stdin --exclude: --ast-check --single-threaded -fsingle-threaded -j* --list-steps -l --webui=";

const MIX =
  "-q --quiet --force --all-warnings --no-compile --no-deps-check --no-archives-check --no-start --no-elixir-version-check --warnings-as-errors --check-formatted --check-equivalent --dry-run --dot-formatter& --stdin-filename: --stale --failed --cover --trace --slowest: --seed: --max-cases: --max-failures: --include: --exclude: --only: --partitions: --color --no-color --formatter: --timeout: --preload-modules --raise --strict --all --format: --only-dev --mute-exit-status --plt --halt-exit-status --list-unused --breakpoints -e& --eval& -r& --require& -pr& -p& --no-halt --preload& -a -l -n: --step: --to: --repo: --prefix: --config-file& --only: --depth: --umbrella --listen-on: --output> -o>";

const REBAR =
  "-v -c --suite: --dir: --module: --app: --application: --case: --group: --cover --cover_export_name: --verbose --name: --sname: --setcookie: --sys_config& --config& --spec: --logdir> --readable: --module --generators: --numtests: --all --force --umbrella --help --write --check --update-plt= --succ-typings= --incremental";

const RAKE =
  "-ABDGIJNPTWXgjlmnqstv -e& -E& -p& -r& -f^ -I& -R& -C/ -j= -T= -D= -W= -t= --all --backtrace= --build-all --comments --describe= --directory/ --dry-run --execute& --execute-print& --execute-continue& --jobs= --job-stats= --libdir& --multitask --no-deprecation-warnings --nosearch --no-search --no-system --prereqs --quiet --rakefile^ --rakelibdir& --require& --rules --silent --suppress-backtrace: --system? --tasks= --trace= --verbose= --where= --version";

const COMPOSER =
  "-nqvdDaoWA -f: --no-interaction --no-ansi --ansi --quiet --verbose --profile --no-plugins --no-scripts --no-cache --working-dir/ --format: --strict --no-check-all --no-check-lock --no-check-publish --no-check-version --check-lock --with-dependencies --all --locked --installed --platform --available --self --name-only --path --tree --latest --outdated --minor-only --major-only --patch-only --direct --no-dev --dev --optimize --optimize-autoloader --classmap-authoritative --apcu --ignore-platform-reqs --ignore-platform-req: --list --timeout: --recursive --minor --ignore: --dry-run --strict-psr --strict-ambiguous --sort-by-age";

const COVERAGE =
  "-apmiIq -d> -o> -i --rcfile^ --source: --source-pkgs: --include: --omit: --branch --append --parallel-mode --timid --pylib --concurrency: --context: --contexts: --data-file> --module: --fail-under: --precision: --show-missing --skip-covered --no-skip-covered --skip-empty --sort: --format: --directory> --title: --show-contexts --ignore-errors --keep --quiet --debug: --pretty-print --save-signal:";

const UV =
  "-qvnU -p^ --quiet --verbose --frozen --locked --check --dry-run --upgrade --upgrade-package: -P: --no-sync --offline --all-extras --extra: --no-extra: --dev --no-dev --only-dev --group: --no-group: --only-group: --all-groups --no-default-groups --all-packages --package: --inexact --exact --no-install-project --no-install-workspace --no-editable --reinstall --python^ --python-version: --python-platform: --depth: --prune: --no-dedupe --invert --universal --outdated --resolution: --prerelease: --exclude-newer: --no-cache --no-progress --color: --directory/ --project/ --active --link-mode: --compile-bytecode --index-url& --default-index& --index& --extra-index-url& --find-links& --config-file& --cache-dir> --no-build --no-binary --script&";

const POETRY =
  "-nqvTloDC --no-interaction --no-ansi --ansi --quiet --verbose --regenerate --check --no-update --tree --latest --outdated --all --top-level --why --with: --without: --only: --no-dev --no-truncate --format: --no-plugins --no-cache --directory/ --project/ --sync --no-root --all-extras --extras: -E: --all-groups --dry-run --dev -d -v --categories: --pre --clear --keep-outdated --python& --bare --requirements --json --graph --reverse";

const JS_BUILD =
  "-w --watch --mode: -m: --outDir> --outfile> --outdir> --out-dir> -o> -d> --output> --emptyOutDir --base: --minify= --sourcemap= --source-map= --logLevel: --log-level: -l: --clearScreen --force --ssr= --target: --host= --port: --strictPort --open? --debug= -d --filter: --profile --manifest= --app --config= -c= --format: -f: --platform: --bundle --splitting --external:* --loader:* --define:* --define: --minify-* --sourcemap=* --target=* --format=* --platform=* --metafile= --analyze= --tree-shaking=* --jsx=* --jsx-*=* --legal-comments=* --charset=* --keep-names --global-name=* --main-fields=* --conditions=* --resolve-extensions=* --packages=* --log-limit=* --color=* --drop:* --pure:* --alias:* --banner:* --footer:* --entry-names=* --chunk-names=* --asset-names=* --public-path=* --watch=* --allow-overwrite --outbase=* --inject:* --tsconfig< --serve? --servedir& --plugin& -p& --silent --failAfterWarnings --environment: --env= --node-env: --stats= --json= --no-color --color --progress= --version --input: -i: --dir> --name: -n: --globals: -g: --exports: --preserveModules --entry: --config-name: --merge --bail --no-watch --help=";

const TURBO =
  "-F: --filter: --affected --force= --concurrency: --continue= --parallel --dry= --dry-run= --graph= --cache-dir> --no-cache --cache: --output-logs: --log-order: --log-prefix: --only --profile> --remote-only= --summarize= --env-mode= --global-deps: --no-daemon --daemon --framework-inference= --ui: --verbosity: --color --no-color --cwd/ --root-turbo-json& --api& --token& --team: --preflight --login& --heap> --trace> --anon-profile> --skip-infer --no-update-notifier --json";

const NX =
  "-t: -p: -c: --target: --targets: --projects: --project: --all --exclude: --parallel= --configuration: --prod --base: --head: --files: --uncommitted --untracked --skip-nx-cache --skipNxCache --skip-remote-cache --nx-bail --nxBail --output-style: --outputStyle: --verbose --graph= --dry-run -d --batch --runner& --tui= --watch --coverage --ci --fix --json --web? --view: --sep: --only-failed --exclude-task-dependencies --focus: --file> --open= --help --version --tags: --with-target: --withTarget: --type: --affected";

/** A module run with `python -m` that imports or builds what it is given. */
const PYTHON_MODULE = works(
  "-vfqlbnwsxio -o> -d: -s: -p: -r: -j: -e: -i< -C& --option: --fail-fast --verbose --wheel --sdist --outdir> --no-isolation --skip-dependency-check --installer: --config-setting& --invalidation-mode: --hardlink-dupes --version",
);

const RUNS_NX =
  /^(?:exec|watch|generate|g|migrate|add|release|import|init|connect|login|logout|repair|register|daemon|view-logs|mcp|sync|configure-ai-agents|nx-cloud|cloud|start-ci-run|start-agent|fix-ci|record|new|console)$/;

const NINJA_TOOLS =
  /^(?:clean|cleandead|query|targets|graph|commands|deps|missingdeps|compdb|rules|list|recompact|restat)$/;

/** Tools driven by the project's settings: builds, tasks and environments. */
export const PROJECT_TOOLS: ProgramTable = {
  ...subcommands(
    "stack",
    {
      "build|test|bench|haddock|clean|purge|path|ls|dot|query|run": works(STACK),
      exec: starts(`--no-ghc-package-path --package: --cwd/ --plain ${STACK}`),
      "ghc|ghci|runghc|runhaskell|eval|script|repl|hoogle": needsApproval("runs code from its arguments"),
    },
    STACK,
  ),
  ...subcommands(
    "cabal",
    {
      "build|test|bench|check|clean|configure|freeze|haddock|outdated|list-bin|gen-bounds|run|v2-build|v2-test":
        works(CABAL),
      "exec|v2-exec": starts(CABAL),
    },
    CABAL,
  ),
  ...subcommands("dune", {
    "build|test|runtest|fmt|format|clean|describe|show|rules|promote|promotion|installed-libraries": works(DUNE),
    exec: { ...starts(DUNE), more: (given) => ownOrRun(given) },
  }),
  ...subcommands("zig", {
    "build|test|run|fmt|build-exe|build-lib|build-obj|ast-check|translate-c": works(ZIG, { style: "long" }),
    "version|env|targets|zen|help": works(""),
    "cc|c++": needsApproval("a C compiler, whose options are not checked"),
  }),
  ...subcommands("mix", {
    "test|compile|format|credo|dialyzer|deps|deps.get|deps.tree|deps.compile|deps.loadpaths|ecto.create|ecto.migrate|ecto.rollback|ecto.setup|ecto.migrations|phx.routes|phx.server|phx.digest|hex.outdated|hex.audit|clean|xref|help|docs|coveralls|sobelow|lint|check|assets.build|assets.setup|gettext.extract|gettext.merge|run|loadpaths|app.start|test.watch":
      works(MIX),
    cmd: starts("--app: --cd/"),
  }),
  ...subcommands("rebar3", {
    "compile|eunit|ct|proper|dialyzer|xref|tree|deps|clean|cover|fmt|lint|edoc|version|help|lock|hank|check|escriptize":
      works(REBAR),
  }),
  rake: works(RAKE, {
    reasons: new Map(["-e", "-E", "-p"].map((name) => [name, "runs code from its arguments"])).set(
      "-r",
      "loads other code",
    ),
  }),
  unittest: works(
    "-bcfqvkts -k: -p: -s: -t: --buffer --catch --failfast --locals --quiet --verbose --pattern: --start-directory: --top-level-directory: --durations: --duration:",
  ),
  ...Object.fromEntries(["build", "doctest", "compileall"].map((name) => [name, PYTHON_MODULE])),
  ...subcommands("composer", {
    "validate|show|info|outdated|why|depends|why-not|prohibits|licenses|diagnose|dump-autoload|dumpautoload|run-script|run|audit|status|check-platform-reqs|fund|suggests|test|tests|lint|check|build|format|fix|cs|cs-fix|cs-check|stan|phpstan|psalm|analyse|analyze|phpunit|pest|pint|rector|ci|qa|about|list":
      works(COMPOSER),
    exec: { ...starts(COMPOSER), more: (given) => execOf(given) },
    global: needsApproval("changes packages shared by all your projects"),
  }),
  ...subcommands("bundle", {
    "list|check|show|info|outdated|platform|licenses": works(
      "--paths --name-only --without-group: --only-group: --gemfile< --path> --dry-run --verbose --strict --parseable --filter-major --filter-minor --filter-patch --source& --group: --version --no-color",
    ),
  }),
  ...subcommands("coverage", {
    "report|html|xml|json|lcov|combine|annotate|debug|help": works(COVERAGE),
    run: measured(COVERAGE),
    erase: works(COVERAGE, { more: erasedData }),
  }),
  tox: works(
    "-rvqlaop -e: -c^ -p= -m: -f: -n -x& --conf^ --workdir> --work-dir> --root/ --env: --skip-env: --recreate --notest --no-test --sitepackages --parallel= --parallel-no-spinner --result-json> --override& --develop --installpkg& --skip-pkg-install --skip-missing-interpreters= --list --listenvs --listenvs-all --showconfig --colored: --verbose --quiet --version --exit-and-dump-after: --discover& --runner& --no-recreate-pkg --no-recreate-provision --hashseed: --force-dep& --pre --index-url& --labels:",
    { more: (given) => toxEffects(given) },
  ),
  nox: works(
    "-lrRNxv -s: -e: -k: -t: -p: -f^ -db: -fb: -P: --session: --sessions: --list --list-sessions --json --noxfile^ --envdir> --keywords: --tags: --python: --pythons: --default-venv-backend: --force-venv-backend: --no-venv --reuse-existing-virtualenvs --reuse-venv= --no-install --install-only --stop-on-first-error --error-on-missing-interpreters --no-error-on-missing-interpreters --error-on-external-run --report> --verbose --add-timestamp --forcecolor --nocolor --non-interactive --force-python: --extra-pythons: --version --download-python:",
  ),
  ...subcommands("pre-commit", {
    run: works(
      "-av -c^ --all-files --files --config^ --from-ref: --to-ref: -s: -o: --source: --origin: --hook-stage: --show-diff-on-failure --verbose --color: --fail-fast --commit-msg-filename< --remote-branch: --local-branch: --remote-name: --remote-url:",
    ),
    "validate-config|validate-manifest|sample-config": works(""),
  }),
  ...subcommands("uv", { "lock|sync|tree|export|version": works(UV, { more: chosenPython }) }, UV),
  ...subcommands("poetry", { "lock|sync|show|check|version|env": works(POETRY) }, POETRY),
  ...subcommands("pipenv", { "lock|sync|graph|check|verify|show|tree": works(POETRY) }, POETRY),
  ...Object.fromEntries(
    ["vite", "esbuild", "rollup", "webpack"].map((name) => [name, works(JS_BUILD, { style: "long" })]),
  ),
  turbo: works(TURBO, {
    more: ({ operands: [sub] }) =>
      /^(?:gen|generate|login|logout|link|unlink|config|daemon|bin|scan|telemetry|boundaries|clone|devtools)$/.test(
        sub?.text ?? "",
      )
        ? [question("subcommand", `turbo ${sub?.text} is not a task of the project`)]
        : [OWN_FOLDER],
  }),
  nx: works(NX, {
    more: (given) => {
      const [sub, ...rest] = given.operands;
      if (!RUNS_NX.test(sub?.text ?? "")) return [OWN_FOLDER];
      const runs: readonly Effect[] =
        sub?.text === "exec" || sub?.text === "watch" ? [{ kind: "run", words: rest, sure: false }] : [];
      return [question("subcommand", `nx ${sub?.text} is not a target of the project`), ...runs];
    },
  }),
  ...subcommands("playwright", {
    "test|show-report|merge-reports|list|--version": works(
      "-c^ -g: -G: -j: -x -u -h --config^ --grep: --grep-invert: --project: --headed --debug --ui? --ui-host? --ui-port? --reporter: --retries: --workers: --timeout: --repeat-each: --shard: --list --last-failed --only-changed= --pass-with-no-tests --forbid-only --fully-parallel --global-timeout: --ignore-snapshots --max-failures: --no-deps --output> --quiet --trace: --tsconfig< --update-snapshots= --update-source-method: --test-list< --test-list-invert< --host? --port: --fail-on-flaky-tests",
    ),
  }),
  ...subcommands("cypress", {
    "run|verify|version|info|cache": works(
      "-bcCehkpPqrst -b& -C< -P/ --browser& --ci-build-id: --component --e2e --config: --config-file^ --env: --group: --headed --headless --key& --no-exit --no-runner-ui --parallel --port: --project/ --quiet --record? --reporter: --reporter-options: --spec: --tag: --auto-cancel-after-failures:",
    ),
  }),
  just: works(
    "-lnquvke -c& -f^ -d/ -s: --list --list-submodules --list-heading: --list-prefix: --summary --groups --show: --variables --evaluate --dry-run --quiet --verbose --yes --unsorted --one --no-deps --no-highlight --highlight --color: --fmt --check --unstable --dump --dump-format: --command& --justfile^ --working-directory/ --set& --shell& --shell-arg& --shell-command? --chooser& --choose? --edit? --init --global-justfile? -g? --dotenv-path< --dotenv-filename: --no-dotenv --timestamp --timestamp-format: --explain --time --version --completions: --man --tempdir> --cygpath& --alias-style: --ceiling< --no-aliases --json --usage:",
    { more: (given) => taskEffects(given) },
  ),
  task: works(
    "-aflnpsvwxyj -o: -t^ -d/ -C: -I: -g? --all --list --list-all --json --sort: --dry --force --force-all --parallel --silent --verbose --watch --interval: --exit-code --yes --output: --output-group-begin: --output-group-end: --output-group-error-only --color= --concurrency: --taskfile^ --dir/ --global? --init --status --summary --version --insecure? --download? --offline --timeout: --no-status --clear-cache --expiry: --trusted-hosts& --failfast --nested --experiments --completion: --remote-cache-dir> --disable-fuzzy",
    { more: (given) => taskEffects(given) },
  ),
  ...subcommands("meson", {
    "setup|compile|test|configure|introspect|format|fmt|init|dist|rewrite|help": works(
      "-vj -C/ -D* -D: -j: -t: --buildtype: --prefix: --backend: --wipe --reconfigure --cross-file& --native-file& --wrap-mode: --werror --unity: --default-library: --strip --layout: --warnlevel: --optimization: --debug --errorlogs --fatal-meson-warnings --suite: --no-suite: --verbose --no-stdsplit --print-errorlogs --repeat: --timeout-multiplier: --num-processes: --list --benchmark --no-rebuild --quiet --interactive --wrapper& --gdb? --gdb-path& --setup& --test-args: --maxfail: --logbase> --clean --vs-args& --ninja-args& --xcode-args& --targets --tests --buildoptions --dependencies --installed --projectinfo --all --indent --force-fallback-for: --slice: --check-only -i -q --inplace --recursive --configuration^ --formats: --no-tests --include-subprojects",
    ),
    devenv: needsApproval("opens a shell or runs a command in the build environment"),
  }),
  ninja: works("-nvqw -C/ -f^ -j: -k: -l: -d: -t: -w: --verbose --quiet --version", {
    more: (given) => ninjaEffects(given),
  }),
};

/** `dune exec ./x.exe` runs a program built in the workspace; a bare name may be any program. */
function ownOrRun({ operands }: Arguments): readonly Effect[] {
  const [first] = operands;
  if (first === undefined) return [];
  return /^\.{0,2}\//.test(first.text)
    ? [{ kind: "code", word: first }]
    : [{ kind: "run", words: operands, sure: true }];
}

/** `composer exec` takes its command with or without `--`. */
function execOf({ operands }: Arguments): readonly Effect[] {
  return operands.length === 0 ? [] : [{ kind: "run", words: operands, sure: true }];
}

/** `tox exec -- CMD` runs a command; other subcommands pass what follows to the tests. */
function toxEffects({ operands }: Arguments): readonly Effect[] {
  const [sub, ...rest] = operands;
  if (sub?.text !== "exec" && sub?.text !== "e") return [OWN_FOLDER];
  return [doubt("runs-program", "tox exec runs a program"), { kind: "run", words: rest, sure: false }];
}

/** `--python 3.12` selects a version; `--python ./x` starts that program. */
function chosenPython({ options }: Arguments): readonly Effect[] {
  const program = options.find(({ name, value }) => /^(?:-p|--python)$/.test(name) && /[/~]/.test(value?.text ?? ""));
  return [
    OWN_FOLDER,
    ...(program === undefined ? [] : [doubt("runs-program", `uv starts ${program.value?.text ?? ""} as python`)]),
  ];
}

/** A variable set on the command line is inserted into a recipe's commands. */
function taskEffects({ operands }: Arguments): readonly Effect[] {
  const set = operands.find(
    ({ text }) => /^[\w.]+=/.test(text) && (/[$`;|&<>\n]/.test(text) || text.includes(UNKNOWN)),
  );
  return [
    OWN_FOLDER,
    ...(set === undefined ? [] : [doubt("make-variable", `${set.text.split("=")[0]} can choose what a recipe runs`)]),
  ];
}

function ninjaEffects({ options }: Arguments): readonly Effect[] {
  const tool = options.find(({ name, value }) => name === "-t" && !NINJA_TOOLS.test(value?.text ?? ""));
  return [
    OWN_FOLDER,
    ...(tool === undefined ? [] : [question("subcommand", `-t ${tool.value?.text ?? ""} is not a read-only tool`)]),
  ];
}

/** `coverage run`: what follows its options is run by python, as a module with `-m`. */
function measured(options: string): KnownProgram {
  const behind = options.replace(/-apmiIq/, "-apqI -m --module").replace("--module: ", "");
  return { options: `-h --help ${behind}`, operands: ":", style: "first", open: "asks", more: pythonBehind };
}

function pythonBehind({ operands, options }: Arguments): readonly Effect[] {
  if (operands.length === 0) return [];
  const module = options.some(({ name }) => name === "-m" || name === "--module");
  return [{ kind: "run", words: [word("python3"), ...(module ? [word("-m")] : []), ...operands], sure: true }];
}

/** `coverage erase` deletes its data file, which an option can change to any file. */
function erasedData({ options }: Arguments): readonly Effect[] {
  const file = options.find(({ name }) => name === "--data-file")?.value;
  if (file === undefined) return [];
  return [
    { kind: "delete", word: file },
    ...(/(?:^|\/)\.coverage[^/]*$/.test(file.text) ? [] : [question("throws-away", `removes ${file.text}`)]),
  ];
}
