import { needsApproval, type ProgramTable, reads, subcommands, takesArgumentFiles, works } from "./known-program.ts";

const QUIET = "-q -v --quiet --verbose --version --color= --no-color --debug";

/** Linters and formatters that do not belong to one language. */
export const CHECKER_PROGRAMS: ProgramTable = {
  shellcheck: reads(
    "-xaCV -f: -s: -e: -i: -o: -S: -W: -P< --external-sources --check-sourced --format: --shell: --exclude: --include: --enable: --severity: --wiki-link-count: --source-path< --rcfile^ --norc --list-optional --color= --version --extended-analysis=",
  ),
  shfmt: works(
    "-l -w -d -s -mn -bn -ci -sr -kp -fn -p -f -i: -ln: -filename: -tojson --list --write --diff --simplify --minify --indent: --language-dialect: --posix --binary-next-line --case-indent --space-redirects --keep-padding --func-next-line --filename: --find --to-json --apply-ignore -version --version",
    { style: "long" },
  ),
  hadolint: reads(
    "-V -c^ -f: -t: -V --config^ --format: --ignore: --error: --warning: --info: --style: --trusted-registry: --require-label: --strict-labels --no-fail --failure-threshold: --no-color --disable-ignore-pragma --verbose --version --file-path-in-report:",
  ),
  yamllint: reads(
    "-sv -c^ -d: -f: --config-file^ --config-data: --format: --strict --no-warnings --list-files --version",
  ),
  markdownlint: works(
    "-fjqsVd -c^ -i: -o> -p< -r& --config^ --configPointer: --dot --enable --disable --fix --ignore: --ignore-path< --json --output> --quiet --rules& --stdin --version",
  ),
  actionlint: reads(
    "-shellcheck& -pyflakes& -config-file< -format: -ignore: -color -no-color -oneline -verbose -debug -version -init-config -stdin-filename:",
    { style: "long" },
  ),
  "ansible-lint": works(
    `${QUIET} -c^ -f: -i: -p -r& -R -t: -x: -w: -L -T -s -P --config-file^ --exclude: --format: --fix= --write= --enable-list: --ignore-file< --list-rules --list-tags --nocolor --offline --parseable --profile: --project-dir< --rules-dir& --skip-list: --strict --tags: --warn-list: --show-relpath --sarif-file>`,
  ),
  flake8: reads(
    `${QUIET} -j: --config^ --append-config< --isolated --count --exclude: --extend-exclude: --filename: --stdin-display-name: --format: --hang-closing --ignore: --extend-ignore: --per-file-ignores: --max-line-length: --max-doc-length: --indent-size: --select: --extend-select: --disable-noqa --show-source --no-show-source --statistics --exit-zero --jobs: --tee --output-file> --benchmark --max-complexity: --builtins: --doctests --enable-extensions& --require-plugins: --bug-report`,
  ),
  pylint: takesArgumentFiles(
    reads(
      `-E -r: -f: -j: -d: -e: -s: ${QUIET} --rcfile^ --init-hook& --load-plugins& --output> --output-format: --disable: --enable: --jobs: --fail-under: --fail-on: --exit-zero --errors-only --reports: --score: --ignore: --ignore-paths: --ignore-patterns: --recursive: --max-line-length: --msg-template: --persistent: --py-version: --disable-all --list-msgs --list-msgs-enabled --list-extensions --help-msg: --generate-rcfile --from-stdin --good-names: --bad-names: --extension-pkg-allow-list& --unsafe-load-any-extension&`,
    ),
  ),
  isort: works(
    `-acdefikmnoqrsvwVW -l: -p: -b: -t: -j: ${QUIET} --check --check-only --check-imports --diff --profile: --settings-path^ --settings-file^ --settings^ --config-root< --resolve-all-configs --line-length: --multi-line: --trailing-comma --use-parentheses --force-single-line --force-sort-within-sections --float-to-top --combine-as --atomic --skip: --skip-glob: --extend-skip: --skip-gitignore --filter-files --stdout --src: --py: --project: --thirdparty: --known-first-party: --only-modified --show-files --show-config --jobs: --stdin --filename: --interactive`,
  ),
  pyright: reads(
    "-w -p< -t< -v< --project< --pythonpath& --pythonplatform: --pythonversion: --typeshedpath< --venvpath< --watch --outputjson --stats --verbose --level: --warnings --dependencies --lib --skipunannotated --threads= --createstub: --verifytypes: --ignoreexternal --version --files",
  ),
  bandit: reads(
    `-railqvdns -x: -f: -o> -c^ -p: -t: -s: -n: -a: -b< ${QUIET} --recursive --aggregate: --number: --configfile^ --profile: --tests: --skip: --level --severity-level: --confidence --confidence-level: --format: --msg-template: --output> --ignore-nosec --exclude: --baseline< --ini< --exit-zero`,
  ),
  rubocop: works(
    `-adghlnrsxAvVFLESDCP -r& -c^ -f: -o> -d -s: -C: --auto-correct --autocorrect --auto-correct-all --autocorrect-all --fix-layout --only: --except: --only-guide-cops --require& --plugin& --config^ --format: --out> --fail-level: --fail-fast --display-cop-names --no-display-cop-names --extra-details --display-style-guide --display-only-fail-level-offenses --display-only-correctable --parallel --no-parallel --cache: --cache-root> --stdin: --lint --safe --safe-auto-correct --list-target-files --auto-gen-config --regenerate-todo --exclude-limit: --force-exclusion --force-default-config --ignore-parent-exclusion --show-cops= --show-docs-url= --init --color --no-color --debug --version --verbose-version --disable-pending-cops --enable-pending-cops --disable-uncorrectable --editor-mode --server? --start-server? --restart-server? --lsp? --mcp? --profile --memory`,
  ),
  phpunit: works(
    "-d& -c^ -v --bootstrap^ --configuration^ --no-configuration --no-extensions --extension& --include-path& --cache-directory> --cache-result-file> --testsuite: --exclude-testsuite: --group: --exclude-group: --filter: --exclude-filter: --test-suffix: --list-tests --list-suites --list-groups --process-isolation --stop-on-failure --stop-on-error --stop-on-defect --stop-on-warning --fail-on-warning --fail-on-risky --order-by: --random-order-seed: --colors= --columns: --stderr --no-progress --no-results --no-output --no-coverage --no-logging --testdox --debug --verbose --display-deprecations --display-warnings --display-notices --display-errors --coverage-clover> --coverage-cobertura> --coverage-crap4j> --coverage-html> --coverage-php> --coverage-text= --coverage-xml> --coverage-filter< --path-coverage --log-junit> --log-teamcity> --testdox-html> --testdox-text> --prepend& --printer& --loader& --repeat: --version --do-not-cache-result --strict-coverage",
  ),
  phpstan: works(
    `-nqvV -c^ -a& -l: --configuration^ --autoload-file& --level: --memory-limit: --error-format: --no-progress --debug --xdebug --generate-baseline= -b= --allow-empty-baseline --ansi --no-ansi --no-interaction --pro? --tmp-file> --instead-of: --fail-without-result-cache ${QUIET}`,
  ),
  stylelint: works(
    `-f: -o> --config^ --config-basedir< --fix= --lax --formatter: --custom-formatter& --custom-syntax& --ignore-path< --ignore-pattern: --disable-default-ignores --cache --cache-location> --cache-strategy: --max-warnings: --output-file> --quiet --quiet-deprecation-warnings --stdin --stdin-filename: --allow-empty-input --report-needless-disables --report-invalid-scope-disables --report-descriptionless-disables --ignore-disables --validate --no-validate --print-config --version --color --no-color --globby-options&`,
  ),
  knip: works(
    `${QUIET} -c^ -t< -W: --config^ --tsConfig< --workspace: --directory/ --include: --exclude: --production --strict --dependencies --exports --files --fix --fix-type: --allow-remove-files --reporter: --reporter-options: --preprocessor& --no-progress --no-exit-code --no-config-hints --no-gitignore --include-entry-exports --include-libs --isolate-workspaces --max-issues: --max-show-issues: --cache --cache-location> --watch --performance --memory --trace --trace-export: --trace-file: --tags: --experimental-tags: --debug-file-filter:`,
  ),
  madge: works(
    `-clsjpiCd -b< --basedir< --circular --depends: --orphans --leaves --summary --json --image> --dot --layout: --exclude: --extensions: --require-config< --webpack-config< --ts-config< --include-npm --no-color --no-spinner --stdin --warning --debug --rankdir: --no-count --version`,
  ),
  depcheck: works(
    "--json --ignore-bin-package= --skip-missing= --ignores: --ignore-dirs: --ignore-path< --ignore-patterns: --oneline --quiet --config^ --parsers& --detectors& --specials& --version",
  ),
  "size-limit": works(
    "--json --silent --hide-passed --highlight-less --why --clean-dir --watch --debug --limit: --save-bundle> --compare-with<",
  ),
  "svelte-check": works(
    "--workspace< --output: --watch --preserveWatchOutput --tsconfig< --no-tsconfig --ignore: --fail-on-warnings --compiler-warnings: --svelte-version: --diagnostic-sources: --threshold: --incremental",
  ),
  "vue-tsc": works(
    "-p< -b -w --project< --build --watch --noEmit --emitDeclarationOnly --declaration --skipLibCheck --outDir> --declarationDir> --pretty --incremental --force --version --composite= --strict",
    { style: "long" },
  ),
  goimports: works("-d -e -l -w -v -local: -srcdir: -format-only -cpuprofile> -memprofile> -memrate: -trace>", {
    style: "long",
  }),
  staticcheck: reads(
    "-checks: -fail: -f: -go: -tests -tests=* -show-ignored -explain: -list-checks -tags: -version -debug.version -matrix -merge",
    { style: "long" },
  ),
  ...subcommands("golangci-lint", {
    "run|fmt|linters|formatters|config|version|help|cache": works(
      "-vc -c^ -E: -D: -j: -p: --config^ --no-config --fix --fast --fast-only --enable: --disable: --enable-all --disable-all --enable-only: --default: --presets: --out-format: --build-tags: --timeout: --tests= --skip-dirs: --skip-files: --modules-download-mode: --concurrency: --allow-parallel-runners --allow-serial-runners --max-issues-per-linter: --max-same-issues: --new --new-from-rev: --new-from-merge-base: --new-from-patch< --whole-files --exclude: --exclude-use-default= --issues-exit-code: --go: --print-issued-lines= --print-linter-name= --show-stats= --sort-results --path-prefix: --path-mode: --cpu-profile-path> --mem-profile-path> --trace-path> --verbose --color: --json --diff --stdin --allow-empty",
    ),
    custom: needsApproval("builds a custom golangci-lint from modules that it downloads"),
  }),
  rustfmt: takesArgumentFiles(
    works(
      "-lqvV --check --edition: --style-edition: --config: --config-path< --emit: --backup --files-with-diff --color: --print-config? --quiet --verbose --version --unstable-features --skip-children --file-lines:",
    ),
  ),
  oxfmt: works(
    "-c^ --config^ --check --write --list-different --ignore-path< --stdin-filepath: --threads: --no-error-on-unmatched-pattern --with-node-modules --init --lsp? --migrate: --ignore-pattern: --disable-nested-config",
  ),
  tokei: reads(
    "-CflVvs -c: -e: -i< -n: -o: -r: -s: -t: --columns: --exclude: --files --input< --hidden --languages --no-ignore --no-ignore-dot --no-ignore-parent --no-ignore-vcs --num-format: --output: --rsort: --sort: --streaming: --type: --types: --compact --verbose --version",
  ),
  cloc: reads(
    "--by-file --by-file-by-lang --by-percent: --csv --csv-delimiter: --json --md --yaml --xml --xsl< --out> --report-file> --sql> --sql-append --sql-project: --ignored> --counted> --found> --unique> --categorized> --quiet -q --hide-rate --no3 --processes: --progress-rate: --timeout: --unicode --vcs: --git --git-diff-all --git-diff-rel --git-diff-simindex --diff --count-and-diff --diff-alignment> --diff-timeout: --diff-list-file< --diff-list-files< --exclude-dir: --exclude-ext: --exclude-lang: --exclude-content: --include-lang: --include-ext: --include-content: --match-d: --not-match-d: --match-f: --not-match-f: --fullpath --max-file-size: --follow-links --force-lang: --force-lang-def< --read-lang-def< --read-binary-files --script-lang: --lang-no-ext: --skip-uniqueness --skip-archive: --skip-win-hidden --list-file< --exclude-list-file< --show-lang= --show-ext= --sum-reports --sum-one --summary-cutoff: --unix --windows --version --v= --file-encoding: --lang-summary --original-dir --strip-comments? --strip-code? --extract-with& --config& --sdir> --use-sloccount? --autoconf --docstring-as-code --percent --stat --stdin-name: --no-autogen",
    {
      style: "long",
    },
  ),
};
