import { doubt, type Effect } from "../shell/effect.ts";
import type { Arguments } from "../shell/options.ts";
import type { Program, ProgramTable } from "./program.ts";

const NPM_OPTIONS =
  "--prefix/ -C/ --cwd/ --dir/ --script-shell! --node-options& --userconfig< --globalconfig< --registry@ --cache> -g? --global? -w: --workspace: --filter: -F: --omit: --include: --loglevel: --tag: --access: --otp& --shell! --init-module& --call! -c!";

/** Runs scripts of the workspace's own package file. What follows is the script's business. */
const SCRIPTS: Program = {
  options: NPM_OPTIONS,
  operands: ":",
  open: true,
  more: (given) =>
    given.operands.some(({ text }, index) => text === "env" && index < 2)
      ? [doubt("secret-environment", "it shows the environment")]
      : [],
};
/** Fetches and installs packages. */
const INSTALLS: Program = {
  options: NPM_OPTIONS,
  operands: "~",
  open: true,
  more: () => [{ kind: "network", word: undefined }],
};

const FETCHERS = [
  "npm install",
  "npm ci",
  "npm update",
  "npm add",
  "npm outdated",
  "npm audit",
  "npm view",
  "npm publish",
  "npm login",
  "npm whoami",
  "npm search",
  "npm exec",
  "pnpm install",
  "pnpm add",
  "pnpm update",
  "yarn install",
  "yarn add",
  "pip install",
  "pip download",
  "pip3 install",
  "cargo install",
  "cargo publish",
  "cargo add",
  "cargo update",
  "go get",
  "go install",
  "gem install",
  "brew install",
  "apt install",
  "apt-get install",
];

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
      "-exec! -toolexec! -vettool! -o> -C/ -modfile< -overlay< -pkgdir> -run: -bench: -count: -timeout: -tags: -p: -parallel: -cpu: -coverprofile> -cpuprofile> -memprofile> -blockprofile> -mutexprofile> -trace> -outputdir> -coverpkg: -covermode: -ldflags: -gcflags: -asmflags: -mod: -buildmode: -compiler& -gccgoflags& -skip: -fuzz: -fuzztime: -shuffle: -vet: -list: -benchtime:",
    operands: "~",
    style: "long",
    open: true,
    more: (given) =>
      given.options.some(
        ({ name, value }) => name.endsWith("flags") && /extld|tmpdir|toolexec|-o\b/.test(value?.text ?? ""),
      )
        ? [doubt("option-consequences", "these flags choose another program")]
        : [],
  },
  gofmt: { options: "-d -e -l -s -w -r: -cpuprofile>", style: "long", operands: "<" },
  mvn: {
    options: "-f< --file< -s< --settings< -gs< -P: -pl: -D: -T: -t< --toolchains< -l> --log-file>",
    operands: ":",
    open: true,
    more: (given) =>
      given.options.some(
        ({ name, value }) => name === "-D" && /exec|argLine|jvm|maven\.ext|javaagent/i.test(value?.text ?? ""),
      )
        ? [doubt("option-consequences", "this property can run a program")]
        : [],
  },
  "./gradlew": {
    options:
      "-I& --init-script& -b< --build-file< -c< --settings-file< -p/ --project-dir/ -g> --gradle-user-home> --include-build< -P: -D: --tests: -x: --exclude-task: --project-cache-dir>",
    operands: ":",
    open: true,
  },
  gradle: {
    options: "-I& --init-script& -b< --build-file< -p/ --project-dir/ -P: -D: --tests: -x:",
    operands: ":",
    open: true,
  },
  "./mvnw": { options: "-f< --file< -s< --settings< -P: -pl: -D: -T:", operands: ":", open: true },
  dotnet: {
    options:
      "-c: --configuration: -f: --framework: -o> --output> --settings< -s< --logger: -l: --filter: -v: --verbosity: -r: --results-directory> --test-adapter-path< --diag> -p: --artifacts-path> --source@",
    operands: "~",
    open: true,
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
  bundle: { options: "", operands: "~", open: true },
  composer: { options: "-d/ --working-dir/", operands: "~", open: true },
  pip: {
    options: "-r< --requirement< -i@ --index-url@ --extra-index-url@ -c< --constraint< -t> --target> -e<",
    operands: "~",
    open: true,
  },
};

const CHOOSES_PROGRAM =
  /^(?:SHELL|MAKE|MAKEFLAGS|MFLAGS|\.SHELLFLAGS|CC|CXX|CPP|LD|AR|AS|FC|RM|INSTALL|PYTHON|NODE|NPM|GO|CARGO|JAVA|PERL|RUBY|PATH|LD_\w+|\w*(?:CMD|COMMAND|EXEC|RUNNER|WRAPPER|COMPILER|LAUNCHER|FLAGS|PRELOAD))$/;

function makeEffects(given: Arguments): readonly Effect[] {
  const stdin = given.options.some(
    ({ name, value }) =>
      ["-f", "--file", "--makefile"].includes(name) &&
      (value?.text === "-" || value?.text.startsWith("/dev/") === true),
  );
  const from = stdin ? [doubt("opaque-content", "the makefile comes from standard input")] : [];
  return [
    ...from,
    ...given.operands.flatMap(({ text }): readonly Effect[] => {
      const [, name, value = ""] = /^([\w.]+)[:+?]?=([\s\S]*)$/.exec(text) ?? [];
      if (name === undefined) return [];
      return CHOOSES_PROGRAM.test(name) || /[$`;|&<>]/.test(value)
        ? [doubt("make-variable", `the variable ${name} can choose what make runs`)]
        : [];
    }),
  ];
}

/** `cargo +name`: a toolchain by name is ordinary, one by path is a program. */
function toolchainEffects(given: Arguments): readonly Effect[] {
  const chosen = given.operands[0]?.text ?? "";
  return chosen.startsWith("+") && !/^\+[\w.-]+$/.test(chosen)
    ? [doubt("toolchain", "the toolchain is chosen by a path")]
    : [];
}
