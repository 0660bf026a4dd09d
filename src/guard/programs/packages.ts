import { doubt, type Effect } from "../shell/effect.ts";
import type { Arguments } from "../shell/options.ts";
import { UNKNOWN, type Word } from "../shell/word.ts";
import type { Program, ProgramTable } from "./program.ts";
import { OWN_FOLDER } from "./unlisted-options.ts";

const NPM_OPTIONS =
  "--prefix/ -C/ --cwd/ --dir/ --script-shell! --node-options& --userconfig< --globalconfig< --registry@ --cache> -g? --global? -w: --workspace: --filter: -F: --omit: --include: --loglevel: --tag: --access: --otp& --shell! --init-module& --call! -c!";

/** Runs scripts of the workspace's own package file. What follows is the script's business. */
const SCRIPTS: Program = {
  options: NPM_OPTIONS,
  operands: ":",
  open: true,
  more: (given) =>
    given.operands.some(({ text }, index) => text === "env" && index < 2)
      ? [OWN_FOLDER, doubt("secret-environment", "it shows the environment")]
      : [OWN_FOLDER],
};
/** Fetches and installs packages. */
const INSTALLS: Program = {
  options: NPM_OPTIONS,
  operands: "~",
  open: true,
  more: () => [{ kind: "network", word: undefined }],
};

const FETCHERS =
  "npm install|npm ci|npm update|npm add|npm outdated|npm audit|npm view|npm publish|npm login|npm whoami|npm search|npm exec|pnpm install|pnpm add|pnpm update|yarn install|yarn add|pip install|pip download|pip3 install|cargo install|cargo publish|cargo add|cargo update|go get|go install|gem install|brew install|apt install|apt-get install".split(
    "|",
  );

/** Tools without a table of their own: any path that they get may be written. */
const PLAIN_TOOL: Program = {
  options: "",
  operands: ":",
  open: true,
  more: (given) => [
    OWN_FOLDER,
    ...given.operands.map((operand): Effect => ({ kind: "guess", word: operand, writes: true })),
  ],
};
const PLAIN_TOOLS =
  "unittest ninja just task meson vite turbo nx stylelint esbuild rollup webpack playwright cypress knip svelte-check vue-tsc madge depcheck size-limit oxfmt goimports golangci-lint staticcheck rustfmt isort flake8 pylint pyright tox nox coverage bandit rake rubocop phpunit phpstan mix rebar3 stack cabal dune zig shellcheck shfmt hadolint yamllint markdownlint actionlint ansible-lint pre-commit cloc tokei javac kotlinc swiftc";

/** Package managers and the build tools that they start. */
export const PACKAGE_PROGRAMS: ProgramTable = {
  npm: SCRIPTS,
  pnpm: SCRIPTS,
  yarn: SCRIPTS,
  bun: SCRIPTS,
  ...Object.fromEntries(FETCHERS.map((name) => [name, INSTALLS])),
  make: {
    options:
      "-BdeikLnpqrRsStvw -C/ -f< -I< -j= -l= -o: -O= -W: -E& --always-make --directory/ --file< --makefile< --eval& --ignore-errors --include-dir< --jobs= --keep-going --load-average= --dry-run --just-print --old-file: --output-sync= --print-data-base --question --no-builtin-rules --silent --quiet --no-silent --stop --touch --trace --version --help --print-directory --no-print-directory --what-if: --warn-undefined-variables",
    operands: ":",
    more: makeEffects,
  },
  cargo: {
    options:
      "--config& --manifest-path< --target-dir> --lockfile-path< -Z& -p: --package: --features: -F: --test: --bin: --example: --bench: --target: --profile: --message-format: --color: -j: --jobs: --exclude: -C/ --out-dir> --artifact-dir>",
    operands: ":",
    open: true,
    more: toolchainEffects,
  },
  go: {
    options:
      "-exec! -toolexec! -vettool! -o> -C/ -modfile< -overlay< -pkgdir> -run: -bench: -w? -u? -count: -timeout: -tags: -p: -parallel: -cpu: -coverprofile> -cpuprofile> -memprofile> -blockprofile> -mutexprofile> -trace> -outputdir> -coverpkg: -covermode: -ldflags: -gcflags: -asmflags: -mod: -buildmode: -compiler& -gccgoflags& -skip: -fuzz: -fuzztime: -shuffle: -vet: -list: -benchtime:",
    operands: "~",
    style: "long",
    open: true,
    more: (given) =>
      given.options.some(
        ({ name, value }) => name.endsWith("flags") && /extld|tmpdir|toolexec|-o\b/.test(value?.text ?? ""),
      )
        ? [doubt("option-consequences", "these flags choose another program"), ...remotePackages(given)]
        : remotePackages(given),
  },
  gofmt: { options: "-d -e -l -s -w -r: -cpuprofile>", style: "long", operands: "<", open: true },
  mvn: {
    options: "-f< --file< -s< --settings< -gs< -P: -pl: -D: -T: -t< --toolchains< -l> --log-file>",
    operands: ":",
    open: true,
    more: (given, words) =>
      given.options.some(
        ({ name, value }) => name === "-D" && /exec|argLine|jvm|maven\.ext|javaagent/i.test(value?.text ?? ""),
      )
        ? [doubt("option-consequences", "this property can run a program"), ...goalEffects(given, MAVEN_GOALS, words)]
        : goalEffects(given, MAVEN_GOALS, words),
  },
  "./gradlew": {
    options:
      "-I& --init-script& -b< --build-file< -c< --settings-file< -p/ --project-dir/ -g> --gradle-user-home> --include-build< -P: -D: --tests: -x: --exclude-task: --project-cache-dir>",
    operands: ":",
    open: true,
    more: (given) => goalEffects(given, GRADLE_TASKS),
  },
  gradle: {
    options: "-I& --init-script& -b< --build-file< -p/ --project-dir/ -P: -D: --tests: -x:",
    operands: ":",
    open: true,
    more: (given) => goalEffects(given, GRADLE_TASKS),
  },
  "./mvnw": {
    options: "-f< --file< -s< --settings< -P: -pl: -D: -T:",
    operands: ":",
    open: true,
    more: (given, words) => goalEffects(given, MAVEN_GOALS, words),
  },
  sbt: { options: "-D: -J&", operands: ":", open: true, more: (given) => goalEffects(given, SBT_TASKS) },
  dotnet: {
    options:
      "-c: --configuration: -f: --framework: -o> --output> --settings< -s< --logger: -l: --filter: -v: --verbosity: -r: --results-directory> --test-adapter-path< --diag> --artifacts-path> --source@",
    operands: "~",
    open: true,
    more: msbuildEffects,
  },
  cmake: {
    options:
      "--build< -S< -B> -D: -G: --target: -t: --config: -j= --parallel= --preset: -P& -E& -C& --install< --prefix> -T:",
    operands: "~",
    open: true,
    more: makeEffects,
  },
  ctest: {
    options:
      "--test-dir< -R: -E: -L: -LE: -C: -j= --parallel= --output-log> -O> -S& -SP& --build-and-test& --preset: --timeout: -I: --repeat:",
    operands: ":",
    open: true,
  },
  swift: {
    options:
      "--package-path/ --build-path> --scratch-path> --filter: -c: --configuration: -Xswiftc& -Xcc& -Xlinker& --skip:",
    operands: ":",
    open: true,
  },
  bazel: {
    options:
      "--run_under! --override_repository& --override_module& --remote_cache@ --remote_executor@ --bes_backend@ --registry@ --bazelrc& --shell_executable& --host_jvm_args&",
    operands: ":",
    open: true,
    more: (given) =>
      goalEffects(
        given,
        /^(?:build|test|query|cquery|info|coverage|clean|version|help|fetch|-?(?:\/\/|:|\.\.\.|\w)[^@]*)$/,
      ),
  },
  ...Object.fromEntries(PLAIN_TOOLS.split(" ").map((name) => [name, PLAIN_TOOL])),
  bundle: { options: "", operands: "~", open: true },
  composer: { options: "-d/ --working-dir/", operands: "~", open: true },
  pip: {
    options: "-r< --requirement< -i@ --index-url@ --extra-index-url@ -c< --constraint< -t> --target> -e<",
    operands: "~",
    open: true,
  },
};

const MAVEN_GOALS =
  /^(?:clean|site|validate|compile|test|package|verify|install|(?:generate|process|prepare|test|pre|post|integration)-[\w-]+|dependency:(?:tree|analyze|list)|(?:spotless|checkstyle|fmt|surefire):(?:check|apply|format|test))$/;
const GRADLE_TASKS =
  /^(?:[\w.-]*:)*(?:build|run|jar|tasks|projects|help|javadoc|dependencies|\w*(?:[tT]ests?|[cC]lasses|Jar|Run)|(?:clean|assemble|check|test|compile|lint|ktlint|detekt|spotless|jacoco|format|generate|process)\w*)$/;
const SBT_TASKS =
  /^(?:[\w-]+\s*\/\s*)?(?:clean|compile|test|testOnly [\w.* -]+|testQuick|package|doc|update|scalafmt\w*|run)$/;

/** Every goal counts, not only the first: `test deploy` deploys. */
function goalEffects(given: Arguments, ordinary: RegExp, words: readonly Word[] = []): readonly Effect[] {
  const strange = given.operands.find(
    (operand) =>
      !ordinary.test(operand.text) && !/^-(?:pl|rf|gs|gt|am|amd)$/.test(words[words.indexOf(operand) - 1]?.text ?? ""),
  );
  return [
    OWN_FOLDER,
    ...(strange === undefined
      ? []
      : [doubt("goal", `${strange.text.replaceAll(UNKNOWN, "…")} is not an ordinary goal of a build`)]),
  ];
}

/** A package by the address of another machine, or in a version, is fetched and then built or run. */
function remotePackages({ operands, options }: Arguments): readonly Effect[] {
  const [verb, ...rest] = operands.map(({ text }) => text);
  if (verb === "mod" && /^(?:init|edit|why|graph|tidy|verify|vendor)$/.test(rest[0] ?? "")) return [OWN_FOLDER];
  if (verb === "env")
    return options.length > 0 || rest.some((text) => text.includes("="))
      ? [doubt("go-environment", "it changes the settings of go for later")]
      : [];
  const remote = rest.find((text) => /^[^./~][^/]*\.[^/]*\/|^[^./][^=]*@/.test(text));
  return remote === undefined
    ? [OWN_FOLDER]
    : [OWN_FOLDER, doubt("remote-package", `${remote.replaceAll(UNKNOWN, "…")} is fetched from another machine`)];
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

/** `-p:Name=value`: properties that only describe the build pass; others can name targets, tasks and tools. */
function msbuildEffects(_: Arguments, words: readonly Word[]): readonly Effect[] {
  const properties = words.filter(({ text }) =>
    /^(?:--?|\/)(?:p|property|t|target|logger|bl|restoreproperty|rp)[:=]/i.test(text),
  );
  const ordinary =
    /^\W+\w+:(?:Configuration|Platform|Version|TargetFrameworks?|RuntimeIdentifier|TreatWarningsAsErrors|CollectCoverage)=[\w.,%-]*$/i;
  return properties.every(({ text }) => ordinary.test(text) || /^--logger[:=][\w-]*(?:;verbosity=\w+)?$/.test(text))
    ? [OWN_FOLDER]
    : [OWN_FOLDER, doubt("build-property", "this property can choose what the build runs or writes")];
}

/** `cargo +name`: a toolchain by name is ordinary, one by path is a program. */
function toolchainEffects(given: Arguments): readonly Effect[] {
  const chosen = given.operands[0]?.text ?? "";
  return chosen.startsWith("+") && !/^\+[\w.-]+$/.test(chosen)
    ? [OWN_FOLDER, doubt("toolchain", "the toolchain is chosen by a path")]
    : [OWN_FOLDER];
}
