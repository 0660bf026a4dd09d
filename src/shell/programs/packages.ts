import { doubt, type Effect, question } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word } from "../model/word.ts";
import { argumentFiles, type KnownProgram, OWN_FOLDER, type ProgramTable, sentWords } from "./known-program.ts";
import { goalEffects, JVM_BUILDS } from "./jvm-builds.ts";

const NPM_OPTIONS =
  "--prefix/ -C/ --cwd/ --dir/ --script-shell! --node-options& --userconfig& --globalconfig& --registry& --cache> -g? --global? -w: --workspace: --filter: -F: --omit: --include: --loglevel: --tag: --access: --otp& --shell! --init-module& --call! -c! " +
  "-aDdEfilnpqrsvOP -y --yes --silent --quiet --verbose --json --long --parseable --all --depth: --production --prod --dev --only: --also: --workspaces --ws --if-present --ignore-scripts --no-audit --no-fund --no-progress --progress= --fund= --audit= --prefer-offline --offline --dry-run --foreground-scripts --legacy-peer-deps --strict-peer-deps --no-save --package-lock-only --no-package-lock --location: --before: --engine-strict --color= --no-color --audit-level: --include-workspace-root --pack-destination> --no-git-tag-version --git-tag-version= --preid: -m: --message: --allow-same-version --sign-git-tag --recursive -r --workspace-root --parallel --stream --sequential --aggregate-output --reporter: --reporter=* --sort --no-sort --no-bail --bail= --fail-if-no-match --resume-from: --report-summary --frozen-lockfile --compatible --format: --link --watch= --coverage --watchAll= --run --ci --help --version --top-level --since= --verbose-help --interlaced --jobs: -j: --topological --topological-dev --from: --no-private -A -R -t --exclude: --inspect= --bun -b --hot --smol --timeout: --rerun-each: --only --todo --bail --test-name-pattern: --preload& --env-file< --config< --define: --loader: --elide-lines: --no-orphans --fields --search:";

/** Runs scripts from the workspace's package file. What follows is passed to the script. */
const SCRIPTS: KnownProgram = {
  options: NPM_OPTIONS,
  operands: ":",
  open: "asks",
  more: (given) => scriptEffects(given),
};

function scriptEffects({ operands }: Arguments): readonly Effect[] {
  return operands.some(({ text }, index) => text === "env" && index < 2)
    ? [OWN_FOLDER, doubt("secret-environment", "shows environment variables, which may hold secrets")]
    : [OWN_FOLDER];
}

/** A script may write to any path it is given. */
function givenFiles(words: readonly Word[]): readonly Effect[] {
  return words
    .filter(({ text }) => !text.startsWith("-"))
    .map((current): Effect => ({ kind: "guess", word: current, writes: true }));
}

/** Fetches and installs packages. */
const INSTALLS: KnownProgram = {
  options: NPM_OPTIONS,
  operands: "~",
  open: "asks",
  more: (given) => [{ kind: "network", word: undefined }, ...sentWords(given, "the name of a package")],
};

const FETCHERS =
  "npm install|npm ci|npm update|npm add|npm outdated|npm view|npm info|npm show|npm v|npm search|npm publish|npm login|npm whoami|npm exec|npm pack|npm dedupe|npm ping|npm owner|npm dist-tag|npm access|npm star|npm stars|npm repo|npm docs|npm bugs|npm fund|pnpm install|pnpm add|pnpm update|pnpm outdated|pnpm view|pnpm info|pnpm audit|yarn install|yarn add|yarn outdated|yarn info|yarn npm|yarn audit|pip install|pip download|pip index|pip search|cargo install|cargo publish|cargo add|cargo update|cargo search|cargo info|go get|go install|gem install|gem search|gem list|brew install|apt install|apt-get install".split(
    "|",
  );

/** `go vet -printf=false`: switches for its checks. */
const VET_CHECKS =
  "appends asmdecl assign atomic bools buildtag cgocall composites copylocks defers directive errorsas framepointer hostport httpresponse ifaceassert loopclosure lostcancel nilfunc printf shift sigchanyzer slog stdmethods stdversion stringintconv structtag testinggoroutine tests timeformat unmarshal unreachable unsafeptr unusedresult waitgroup"
    .split(" ")
    .map((name) => `-${name}=`)
    .join(" ");

/** Package managers and the build tools they start. */
export const PACKAGE_PROGRAMS: ProgramTable = {
  npm: SCRIPTS,
  pnpm: SCRIPTS,
  yarn: SCRIPTS,
  bun: SCRIPTS,
  // Words after the script's name are passed to it.
  ...Object.fromEntries(
    ["pnpm run", "yarn run", "bun test"].map((name) => [name, { ...SCRIPTS, style: "first" } as const]),
  ),
  ...Object.fromEntries(
    ["pnpm", "yarn"].flatMap((name) =>
      ["test", "build", "lint", "start", "typecheck", "format", "check"].map((sub) => [
        `${name} ${sub}`,
        {
          ...SCRIPTS,
          options: "-*",
          more: (given: Arguments, words: readonly Word[]) => [...scriptEffects(given), ...givenFiles(words)],
        },
      ]),
    ),
  ),
  "bun run": {
    ...SCRIPTS,
    style: "first",
    more: ({ operands: [script] }) =>
      script?.text === "-" || script?.text.startsWith("/dev/") === true
        ? [doubt("opaque-code", "the program to run comes from standard input")]
        : [OWN_FOLDER],
  },
  ...Object.fromEntries(FETCHERS.map((name) => [name, INSTALLS])),
  "npm audit": {
    ...INSTALLS,
    more: (given) => [
      { kind: "network", word: undefined },
      ...(given.operands[0]?.text === "fix" ? [question("installs", "installs other package versions")] : []),
    ],
  },
  make: {
    options:
      "-BdeikLnpqrRsStvw -C/ -f< -I< -j= -l= -o: -O= -W: -E& --always-make --directory/ --file< --makefile< --eval& --ignore-errors --include-dir< --jobs= --keep-going --load-average= --dry-run --just-print --old-file: --output-sync= --print-data-base --question --no-builtin-rules --silent --quiet --no-silent --stop --touch --trace --version --help --print-directory --no-print-directory --what-if: --warn-undefined-variables",
    operands: ":",
    more: makeEffects,
  },
  cargo: {
    options:
      "--config& --manifest-path< --target-dir> --lockfile-path< -Z& -p: --package: --features: -F: --test: --bin: --example: --bench: --target: --profile: --message-format: --color: -j: --jobs: --exclude: -C/ --out-dir> --artifact-dir> " +
      "-qvVhrn --quiet --verbose --release --debug --all --workspace --all-targets --all-features --no-default-features --lib --bins --tests --benches --examples --doc --no-run --no-fail-fast --locked --offline --frozen --keep-going --ignore-rust-version --future-incompat-report --timings= --unit-graph --build-plan --no-deps --document-private-items --open? --check --fix --allow-dirty --allow-staged --allow-no-vcs --broken-code --edition --edition-idioms --format-version: --filter-platform: --invert: -i: -e: --edges: --prefix: --no-dedupe --duplicates -d --depth: --charset: --format: -f: --prune: --no-indent --prefix-depth --dry-run --version --help --test-threads: --retries: -E: --filter-expr: --filterset: --run-ignored: --no-capture --nocapture --status-level: --final-status-level: --failure-output: --success-output: --max-fail: --fail-fast --partition: --archive-file< --extract-to> --workspace-remap< --config-file& --tool-config-file& --cargo-profile: -P: --user-config-file& --message-format-version: --no-pager --hide-progress-bar --show-progress: --list --manifest-lock: --compile-time-deps",
    operands: ":",
    open: "asks",
    more: toolchainEffects,
  },
  go: {
    options:
      "-exec! -toolexec! -vettool! -o> -C/ -modfile< -overlay< -pkgdir> -run: -bench: -w? -u? -count: -timeout: -tags: -p: -parallel: -cpu: -coverprofile> -cpuprofile> -memprofile> -blockprofile> -mutexprofile> -trace> -outputdir> -coverpkg: -covermode: -ldflags: -gcflags: -asmflags: -mod: -buildmode: -compiler& -gccgoflags& -skip: -fuzz: -fuzztime: -shuffle: -vet: -list: -benchtime: -v -x -n -a -race -msan -asan -cover -work -trimpath -trimpath=* -buildvcs: -pgo< -installsuffix: -linkshared -modcacherw -json -short -failfast -benchmem -c -i -m -f: -e -deps -test -export -find -compiled -retracted -versions -u -all -src -cmd -unexported -short -fullpath -diff -fix -printfuncs: -changed -go: -toolchain: -require& -replace& -exclude: -dropreplace: -print -fmt -module: -reuse: -shuffle=* -count=* -run=* -mod=* -tags=* -timeout=* -cpu=* -parallel=* -p=* -v=* -race=* -cover=* -covermode=* -coverpkg=* -bench=* -benchtime=* -fuzz=* -fuzztime=* -skip=* -list=* -vet=* -f=* -buildvcs=* -failfast=* -short=* -json=* -blockprofilerate: -memprofilerate: -mutexprofilefraction: -artifacts -http? -compat: -diff=* -fuzzminimizetime: " +
      VET_CHECKS,
    operands: "~",
    style: "long",
    open: "asks",
    more: (given) =>
      given.options.some(
        ({ name, value }) => name.endsWith("flags") && /extld|tmpdir|toolexec|-o\b/.test(value?.text ?? ""),
      )
        ? [doubt("option-consequences", "these flags choose another program"), ...remotePackages(given)]
        : remotePackages(given),
  },
  gofmt: {
    options: "-d -e -l -s -w -r: -cpuprofile>",
    style: "long",
    operands: "<",
    open: "asks",
    more: (given) => formats(given, "-w"),
  },
  "go tool": { options: "-n", operands: ":", style: "first", open: "asks", more: ({ operands }) => goTool(operands) },
  ...JVM_BUILDS,
  dotnet: {
    options:
      "-c: --configuration: -f: --framework: -o> --output> --settings< -s< --logger: -l: --filter: -v: --verbosity: -r: --results-directory> --test-adapter-path< --diag> --artifacts-path> --source& -nhq -a: -e: -t --no-build --no-restore --no-incremental --no-dependencies --no-self-contained --self-contained= --nologo --force --interactive --list-tests --collect: --collect:* --blame --blame-crash --blame-hang --blame-hang-timeout: --tl: --runtime: --os: --arch: --no-launch-profile --launch-profile: --project< --property: --use-current-runtime --ucr --verify-no-changes --severity: --diagnostics: --include: --exclude: --exclude-diagnostics: --include-generated --report> --binarylog> --outdated --deprecated --vulnerable --include-transitive --include-prerelease --highest-minor --highest-patch --format: --lock-file-path> --locked-mode --use-lock-file --force-evaluate --packages> --configfile& --no-cache --ignore-failed-sources --disable-parallel --disable-build-servers --version-suffix: --version --help --info --list-sdks --list-runtimes --environment: --coverage --coverage-output-format: --report-trx --minimum-expected-tests: --treenode-filter: --solution: --test-modules: --max-parallel-test-modules: --no-ansi --no-progress --output-format: --getProperty:* --getItem:* -p:* -p: /p:* -m* /m* -v:* /v:* -t:* -nodeReuse:* -nr:* -clp:* -consoleLoggerParameters:* -warnaserror* -nowarn:* -tl:* -maxcpucount:* --logger:*",
    operands: "~",
    open: "asks",
    more: msbuildEffects,
  },
  cmake: {
    options:
      "--build< -S< -B> -D: -G: --target: -t: --config: -j= --parallel= --preset: -P& -E& -C& --install& --prefix> -T: -A: -D* -U: -U* -j* -LANHv -W* --fresh --verbose --clean-first --resolve-package-references= --use-stderr --log-level: --log-context --debug-output --debug-find --debug-trycompile --trace --trace-expand --trace-format: --trace-source: --trace-redirect> --warn-uninitialized --warn-unused-vars --no-warn-unused-cli --check-system-vars --graphviz> --system-information --list-presets= --workflow --find-package --open& --toolchain& --compile-no-warning-as-error --link-no-warning-as-error --profiling-output> --profiling-format: --debugger? --debugger-pipe& --version --help --help-* -h",
    operands: "~",
    open: "asks",
    more: cmakeEffects,
  },
  ctest: {
    options:
      "--test-dir< -R: -E: -L: -LE: -C: -j= --parallel= --output-log> -O> -S& -SP& --build-and-test& --preset: --timeout: -I: --repeat: -VVNFQ -V -VV -N -FA: -FS: -FC: -U -j* -D& -T& -M& -A& --verbose --extra-verbose --debug --output-on-failure --output-junit> --no-tests: --progress --stop-on-failure --rerun-failed --repeat-until-fail: --show-only= --print-labels --quiet --stop-time: --schedule-random --test-load: --tests-regex: --tests-information: --label-regex: --label-exclude: --exclude-regex: --tests-from-file< --exclude-from-file< --fixture-exclude-any: --build-config: --no-label-summary --no-subproject-summary --test-output-size-passed: --test-output-size-failed: --resource-spec-file< --tomorrow-tag --max-width: --union --list-presets --version --help --http-header& --submit-index: --build-noclean --interactive-debug-mode:",
    operands: ":",
    style: "long",
    open: "asks",
  },
  swift: {
    options:
      "--package-path/ --build-path> --scratch-path> --filter: -c: --configuration: -Xswiftc& -Xcc& -Xlinker& -Xcxx& --skip: -qv --quiet --verbose --very-verbose --target: --product: --arch: --triple: --sdk& --swift-sdk& --toolchain& --parallel --no-parallel --num-workers: --list-tests -l --enable-code-coverage --disable-code-coverage --show-codecov-path --show-bin-path --sanitize: --build-tests --skip-build --skip-update --disable-sandbox? --enable-test-discovery --xunit-output> --static-swift-stdlib --jobs: -j: --explicit-target-dependency-import-check: --cache-path> --config-path& --security-path& --netrc-file& --repl? --debugger? --disable-xctest --enable-swift-testing --disable-swift-testing --enable-xctest --traits: --version --help -h --experimental-*",
    operands: ":",
    open: "asks",
    more: (given) =>
      given.operands[0]?.text === "package" &&
      !/^(?:describe|dump-package|show-dependencies|resolve|clean|tools-version|reset)$/.test(
        given.operands[1]?.text ?? "",
      )
        ? [
            OWN_FOLDER,
            question("subcommand", `swift package ${given.operands[1]?.text ?? ""} may run plug-ins or fetch code`),
          ]
        : [OWN_FOLDER],
  },
  bazel: {
    options:
      "--run_under! --override_repository& --override_module& --remote_cache@ --remote_executor@ --bes_backend@ --registry@ --bazelrc& --shell_executable& --host_jvm_args& -kst -c: -j: --config: --keep_going --jobs: --compilation_mode: --test_output: --test_filter: --test_arg: --test_tag_filters: --build_tag_filters: --test_timeout: --test_size_filters: --test_lang_filters: --test_summary: --nocache_test_results --cache_test_results: --runs_per_test: --flaky_test_attempts: --output: --verbose_failures --subcommands= --show_progress --noshow_progress --curses: --color: --platforms: --cpu: --define: --features: --copt: --cxxopt: --nobuild --build_tests_only --combined_report: --instrumentation_filter: --keep_state_after_build --expunge --async --noimplicit_deps --notool_deps --order_output: --universe_scope: --verbose_explanations --explain> --profile> --stamp --announce_rc --noannounce_rc --nolegacy_external_runfiles --lockfile_mode: --enable_bzlmod --noenable_bzlmod --help --version --sandbox_debug --local_test_jobs: --nofetch --test_env: --action_env: --execution_log_json_file> --build_event_json_file> --experimental_*",
    operands: ":",
    open: "asks",
    more: (given) =>
      goalEffects(
        given,
        /^(?:build|test|query|cquery|info|coverage|clean|version|help|fetch|-?(?:\/\/|:|\.\.\.|\w)[^@]*)$/,
      ),
  },
  pip: {
    options:
      "-r< --requirement< -i& --index-url& --extra-index-url& -f& --find-links& -c< --constraint< -t> --target> -e< -qvlo --python& --log> --cache-dir> --proxy& --format: --outdated --uptodate --editable --exclude-editable --include-editable --local --user --path< --pre --not-required --exclude: --all --files --verbose --quiet --no-color --no-input --disable-pip-version-check --no-python-version-warning --isolated --require-virtualenv --no-cache-dir --trusted-host& --cert& --client-cert& --timeout: --retries: --version --help -V -h --use-feature: --use-deprecated:",
    operands: "~",
    open: "asks",
  },
};

/** A package given by URL or version is fetched and then built or run. */
function remotePackages({ operands, options }: Arguments): readonly Effect[] {
  const [verb, ...rest] = operands.map(({ text }) => text);
  if (verb === "mod" && /^(?:init|edit|why|graph|tidy|verify|vendor)$/.test(rest[0] ?? "")) return [OWN_FOLDER];
  if (verb === "env")
    return options.length > 0 || rest.some((text) => text.includes("="))
      ? [doubt("go-environment", "changes go's settings permanently")]
      : [];
  const remote = rest.find((text) => /^[^./~][^/]*\.[^/]*\/|^[^./][^=]*@/.test(text));
  return remote === undefined
    ? [OWN_FOLDER]
    : [OWN_FOLDER, doubt("remote-package", `${remote.replaceAll(UNKNOWN, "…")} is downloaded from another machine`)];
}

const CHOOSES_PROGRAM =
  /^(?:SHELL|MAKE|MAKEFLAGS|MFLAGS|\.SHELLFLAGS|CC|CXX|CPP|LD|AR|AS|FC|RM|INSTALL|PYTHON|NODE|NPM|GO|CARGO|JAVA|PERL|RUBY|PATH|LD_\w+|\w*(?:CMD|COMMAND|EXEC|RUNNER|WRAPPER|COMPILER|LAUNCHER|FLAGS|PRELOAD))$/;

const BUILD_FILES = ["-f", "--file", "--makefile", "-I", "--include-dir", "-S", "--build", "--install"];

function makeEffects(given: Arguments): readonly Effect[] {
  const stdin = given.options.some(
    ({ name, value }) =>
      ["-f", "--file", "--makefile"].includes(name) &&
      (value?.text === "-" || value?.text.startsWith("/dev/") === true),
  );
  const from = stdin ? [doubt("opaque-content", "the makefile comes from standard input")] : [];
  const chosen = given.options.flatMap(({ name, value }): readonly Effect[] =>
    value !== undefined && !stdin && BUILD_FILES.includes(name) ? [{ kind: "code", word: value }] : [],
  );
  return [
    OWN_FOLDER,
    ...from,
    ...chosen,
    ...given.operands.flatMap(({ text }): readonly Effect[] => {
      const [, name, value = ""] = /^([\w.]+)[:+?]?=([\s\S]*)$/.exec(text) ?? [];
      if (name === undefined) return [];
      return CHOOSES_PROGRAM.test(name) || /[$`;|&<>]/.test(value)
        ? [doubt("make-variable", `the variable ${name} can choose what make runs`)]
        : [];
    }),
  ];
}

const KNOWN_COMPILER =
  /^CMAKE_(?:C|CXX|OBJC|OBJCXX|Fortran|CUDA)_COMPILER(?:_LAUNCHER)?(?::\w+)?=(?:(?:gcc|g\+\+|clang|clang\+\+|cc|c\+\+|gfortran|nvcc)(?:-\d+)?|ccache|sccache)$/;
const CMAKE_CHOICE =
  /COMPILER|LAUNCHER|LINKER|TOOLCHAIN|INCLUDE|MODULE_PATH|PROGRAM|COMMAND|EXECUTABLE|FLAGS|RULE_|(?<!C)MAKE_|EMULATOR|_PATH$|_DIR$|_ROOT$|HOOK|TEMPLATE|FETCHCONTENT/i;

/** cmake: a variable can name the compiler, a launcher or more code, also through `-D`. */
function cmakeEffects(given: Arguments): readonly Effect[] {
  const chosen = given.options
    .filter(({ name, value }) => name === "-D" && !KNOWN_COMPILER.test(value?.text ?? ""))
    .map(({ value }) => value?.text.split("=", 1)[0]?.replace(/:\w+$/, "") ?? "")
    .find((name) => CMAKE_CHOICE.test(name) && !/^CMAKE_(?:INSTALL_PREFIX|EXPORT_COMPILE_COMMANDS)$/.test(name));
  return [
    ...makeEffects(given),
    ...(chosen === undefined ? [] : [question("make-variable", `the variable ${chosen} can choose what cmake runs`)]),
  ];
}

/** Files that a formatter changes if its flag is given. */
function formats({ operands, options }: Arguments, flag: string): readonly Effect[] {
  return options.some(({ name }) => name === flag) ? operands.map((word): Effect => ({ kind: "write", word })) : [];
}

const GO_LOOKS: Readonly<Record<string, RegExp>> = {
  cover: /^-(?:func|mode|var|o)(?:=|$)|^[^-]/,
  nm: /^-(?:n|size|sort|type)|^[^-]/,
  addr2line: /^[^-]/,
  buildid: /^[^-]/,
  pprof:
    /^-(?:top|text|tree|peek|list|traces|raw|cum|flat|nodecount|lines|functions|files|sample_index|unit|focus|ignore|show|hide)(?:=|$)|^(?!https?:)[^-]/,
};

/** `go tool`: go's own tools that only print, with options that select what; any other tool is built and run. */
function goTool([tool, ...rest]: readonly Word[]): readonly Effect[] {
  if (tool === undefined) return [];
  const looks = Object.hasOwn(GO_LOOKS, tool.text) ? GO_LOOKS[tool.text] : undefined;
  const prints =
    tool.text !== "pprof" || rest.some(({ text }) => /^-(?:top|text|tree|peek|list|traces|raw)/.test(text));
  if (looks === undefined || !prints || !rest.every(({ text }) => looks.test(text)))
    return [question("subcommand", `go tool ${tool.text.replaceAll(UNKNOWN, "…")} can run or open something`)];
  const output = rest.findIndex(({ text }) => text === "-o");
  return rest.flatMap((word, index): readonly Effect[] => {
    if (word.text.startsWith("-o=")) return [{ kind: "write", word: { ...word, text: word.text.slice(3) } }];
    if (output !== -1 && index === output + 1) return [{ kind: "write", word }];
    const value = /^-\w+=(.*)$/.exec(word.text)?.[1];
    return [{ kind: "guess", word: value === undefined ? word : { ...word, text: value } }];
  });
}

/** `-p:Name=value`: properties that only describe the build are allowed; others can name targets, tasks and tools. */
function msbuildEffects(given: Arguments, words: readonly Word[]): readonly Effect[] {
  return [...propertyEffects(words), ...argumentFiles(given.operands)];
}

function propertyEffects(words: readonly Word[]): readonly Effect[] {
  const properties = words.filter(({ text }) =>
    /^(?:--?|\/)(?:p|property|t|target|logger|bl|restoreproperty|rp)[:=]/i.test(text),
  );
  const ordinary =
    /^\W+\w+:(?:Configuration|Platform|Version|TargetFrameworks?|RuntimeIdentifier|TreatWarningsAsErrors|CollectCoverage)=[\w.,%-]*$/i;
  return properties.every(({ text }) => ordinary.test(text) || /^--logger[:=][\w-]*(?:;verbosity=\w+)?$/.test(text))
    ? [OWN_FOLDER]
    : [OWN_FOLDER, doubt("build-property", "this property can choose what the build runs or writes")];
}

/** `cargo +name`: a toolchain given by name is ordinary; one given by path is a program. */
function toolchainEffects(given: Arguments): readonly Effect[] {
  const chosen = given.operands[0]?.text ?? "";
  return chosen.startsWith("+") && !/^\+[\w.-]+$/.test(chosen)
    ? [OWN_FOLDER, doubt("toolchain", "the toolchain is selected by path")]
    : [OWN_FOLDER];
}
