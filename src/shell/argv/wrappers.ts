import { doubt, type Effect } from "../model/effect.ts";
import type { Feed } from "../model/shell-state.ts";
import { UNKNOWN, type Word, word } from "../model/word.ts";
import { type Arguments, effectsOf, type ProgramGrammar, readArguments } from "../programs/options.ts";
import { inputEffects } from "./interpreters.ts";

/** A program that runs the command it is given. */
interface Wrapper extends ProgramGrammar {
  /** Operands before the inner command. */
  readonly skip?: number;
  /** The inner command is a single shell script text. */
  readonly script?: boolean;
  /** The wrapper's own effect. */
  readonly own?: Effect;
  /** The inner command follows `--`, whatever comes before. */
  readonly dashes?: boolean;
  /** Each operand is a shell script text. */
  readonly each?: boolean;
  /** `NAME=value` words before the inner command set variables. */
  readonly variables?: boolean;
}

const escalates = doubt("escalates", "runs with different privileges", "deny");

const persists = doubt("persists", "starts something that keeps running after the call");

const secrets = doubt("secret-store", "passes stored secrets to a program");

const network = { kind: "network", word: undefined } as const;

const ARCHITECTURE =
  "-3BFILRSTXZv --32bit --3gb --4gb --uname-2.6 --fdpic-funcptrs --short-inode --addr-compat-layout --addr-no-randomize --whole-seconds --sticky-timeouts --read-implies-exec --mmap-page-zero --verbose --list --show= --help --version -h -V -p&";

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: simple(
    "-i0v -u: -C/ --ignore-environment --null --unset: --chdir/ --block-signal= --default-signal= --ignore-signal= --debug -a: --argv0:",
    { variables: true },
  ),
  command: simple("-p"),
  builtin: simple(""),
  exec: simple("-cl -a:"),
  nohup: simple("--help --version"),
  nice: simple("-# -n: --adjustment:"),
  ionice: simple("-t -c: -n: --class: --classdata: --ignore"),
  chrt: simple("-abdfioR -p? -T: -P: -D:", { skip: 1 }),
  taskset: simple("-ac -p? --cpu-list", { skip: 1 }),
  numactl: simple("", { open: true }),
  timeout: simple("-v -k: -s: --kill-after: --signal: --foreground --preserve-status --verbose", { skip: 1 }),
  gtimeout: simple("-v -k: -s: --kill-after: --signal: --foreground --preserve-status", { skip: 1 }),
  time: simple("-apvlh -o> -f: --output> --format: --append --portability --verbose"),
  stdbuf: simple("-i: -o: -e: --input: --output: --error:"),
  unbuffer: simple("-p"),
  setsid: simple("-cfw --ctty --fork --wait"),
  caffeinate: simple("-dimsu -t: -w:"),
  arch: simple("-arm64 -x86_64 -c -d: -e:"),
  ...Object.fromEntries(
    "setarch linux32 linux64 i386 i486 i586 i686 x86_64 uname26 aarch64 arm armv7l ppc ppc32 ppc64 ppc64le riscv64 s390 s390x sparc sparc64 mips mips64"
      .split(" ")
      .map((name) => [name, simple(ARCHITECTURE)]),
  ),
  strace: simple(
    "-cCdfFhiknqrtTvVxyzZ -a: -b: -e: -E: -I: -o> -O: -p& -P: -s: -S: -u& -w --follow-forks --output> --trace: --string-limit:",
  ),
  ltrace: simple("-bcCfhiLrStttT -a: -A: -D: -e: -F< -l: -n: -o> -p& -s: -u& -w: -x:"),
  valgrind: simple("", { open: true }),
  c8: simple("", { open: true }),
  nyc: simple("", { open: true }),
  catchsegv: simple(""),
  eatmydata: simple(""),
  choom: simple("-n: -p& --adjust: --pid&"),
  cpulimit: simple("-bfikmqvz -l: -p& -e& --limit: --pid& --exe&"),
  "dumb-init": simple("-cv -r: --single-child --rewrite: --verbose"),
  tini: simple("-gsvw -e: -p:"),
  softlimit: simple("-a: -c: -d: -f: -l: -m: -o: -p: -r: -s: -t:"),
  chpst: simple("-vP012 -b: -C/ -n: -l: -L: -m: -d: -o: -p: -f: -c: -r: -t: -u& -U& -/& -e&"),
  rlwrap: simple("", { open: true }),
  "xvfb-run": simple("-a -e> -f< -l -n: -s: --auto-servernum --server-args:"),
  "dbus-run-session": simple("", { open: true }),
  faketime: simple("-m -f -p", { skip: 1 }),
  "direnv exec": simple("", { skip: 1 }),
  "cross-env": simple("", { variables: true }),
  busybox: simple("--list --help"),
  toybox: simple("--list --help"),
  flock: simple(
    "-enosuxFv -c! -E: -w: --exclusive --nonblock --nb --shared --unlock --close --timeout: --wait: --conflict-exit-code: --verbose --command!",
    { skip: 1 },
  ),
  watch: simple(
    "-bcdegtxwpr -n: -q: --beep --color --differences= --errexit --chgexit --interval: --no-title --exec --precise",
    { script: true },
  ),
  entr: simple("-acdnprsxz"),
  doas: simple("-Lns -C< -u:", { own: escalates }),
  sudo: simple(
    "-AbEeHiKklnPSsVv -C: -D/ -g: -h: -p: -R/ -r: -T: -t: -U: -u: --askpass --background --preserve-env= --login --non-interactive --stdin --user: --group: --shell --host: --chdir/",
    { own: escalates, variables: true },
  ),
  pkexec: simple("--user: --disable-internal-agent", { own: escalates }),
  runuser: simple("-flmp -u: -g: -G: -s& -c! --command! --user:", { own: escalates }),
  chroot: simple("--userspec: --groups: --skip-chdir", { own: escalates, skip: 1 }),
  unshare: simple("", { open: true, own: escalates }),
  nsenter: simple("", { open: true, own: escalates }),
  setpriv: simple("", { open: true, own: escalates }),
  fakeroot: simple("-i< -s> -u -b: -l:"),
  firejail: simple("", { open: true }),
  "systemd-run": simple("", { open: true, own: persists }),
  "systemd-inhibit": simple("", { open: true }),
  at: simple("", { open: true, own: persists }),
  parallel: simple(
    "-0kXmv -j: -n: -N: -L: -a< -I: --jobs: --colsep: --halt: --joblog> --results> --dry-run --keep-order --bar --eta --tmpdir> --workdir/ --arg-file< -S& --sshlogin& --pipe --line-buffer --ungroup --tag",
    { own: doubt("runs-program", "runs a command for each line it reads") },
  ),
  hyperfine: {
    options:
      "-iN -w: -r: -m: -M: -n: -p! -c! -s! -S& -L& --warmup: --runs: --prepare! --conclude! --cleanup! --setup! --shell& --export-json> --export-csv> --export-markdown>",
    operands: "",
    each: true,
    open: true,
  },
  perf: simple("-adg -e: -o> -p& -r: -C: -F: --event: --output> --repeat: --pid&", { skip: 1, dashes: true }),
  prlimit: simple("", { open: true }),
  gosu: simple("", { own: escalates, skip: 1 }),
  "su-exec": simple("", { own: escalates, skip: 1 }),
  chronic: simple("-ev"),
  dotenv: simple("-f< -e< -c= -o -v: -q: --file< --quote: --override", { dashes: true }),
  "op run": simple("--env-file< --no-masking --account: --environment:", { dashes: true, own: secrets }),
  "mise x": simple("-c! -j: -C/ --command! --cd/ --jobs:", { dashes: true }),
  "mise exec": simple("-c! -j: -C/ --command! --cd/ --jobs:", { dashes: true }),
  "asdf exec": simple(""),
  "rbenv exec": simple(""),
  "pyenv exec": simple(""),
  "rustup run": simple("--install?", { skip: 1 }),
  "conda run": simple("-n: -p: -v --name: --prefix: --cwd/ --no-capture-output --live-stream --dev"),
  proxychains: simple("-q -f<", { own: network }),
  proxychains4: simple("-q -f<", { own: network }),
  torsocks: simple("", { own: network }),
  torify: simple("", { own: network }),
  "nix-shell": simple("-p: --run! --command!", {
    own: doubt("runs-program", "builds and enters another environment"),
  }),
};

function simple(options: string, more: Partial<Wrapper> = {}): Wrapper {
  return { options, operands: "", style: "first", ...more };
}

/** Wrappers that print something or fail without a command. Any other starts a shell, which reads standard input. */
export const PRINTS_ALONE: ReadonlySet<string> = new Set(
  (
    "env command builtin exec nohup nice ionice chrt taskset numactl timeout gtimeout time stdbuf unbuffer setsid caffeinate arch strace ltrace valgrind c8 nyc " +
    "catchsegv eatmydata choom cpulimit dumb-init tini softlimit chpst cross-env busybox toybox flock watch entr hyperfine perf prlimit systemd-inhibit chronic"
  ).split(" "),
);

/** The effects of a wrapper and its inner command; undefined if `name` is not a wrapper. `words` follow the name. */
export function unwrap(name: string, words: readonly Word[], feed: Feed): readonly Effect[] | undefined {
  const first = words[0]?.text ?? "";
  const pair = `${name} ${first}`;
  if (Object.hasOwn(WRAPPERS, pair)) return unwrapWith(pair, words.slice(1), feed);
  if (name === "direnv") return PRINTING_DIRENV.test(first) ? [] : [LOADS_ENVRC];
  if (name.includes(" ") || !Object.hasOwn(WRAPPERS, name)) return undefined;
  if (name === "command" && /^-[pvV]*[vV]/.test(first)) return [];
  // The architecture is optional, and options come after it.
  return unwrapWith(name, name === "setarch" && Object.hasOwn(WRAPPERS, first) ? words.slice(1) : words, feed);
}

const PRINTING_DIRENV = /^(?:status|version|help|--help|--version|)$/;

const LOADS_ENVRC = doubt("runs-program", "direnv runs the code in .envrc");

function unwrapWith(name: string, words: readonly Word[], feed: Feed): readonly Effect[] | undefined {
  const wrapper = WRAPPERS[name];
  if (wrapper === undefined) return undefined;
  const whole = name === "env" ? splitString(words) : undefined;
  if (whole !== undefined) return [SPLITS, ...(unwrapWith(name, whole, feed) ?? [])];
  const given = readArguments(wrapper, words);
  const effects = [
    ...effectsOf({ ...wrapper, operands: ":" }, given),
    ...(wrapper.own === undefined ? [] : [wrapper.own]),
  ];
  const { variables, inner } = takeVariables(wrapper, innerOperands(name, wrapper, given.operands));
  effects.push(...variables);
  if (words.slice(0, words.length - inner.length).some(({ open }) => open === true))
    effects.push(doubt("program-unknown", "which program it runs is only known at run time"));
  if (inner.length === 0) return [...effects, ...aloneEffects(name, feed)];
  const later = commandEffects(given, inner).slice(1);
  return [
    ...effects,
    ...(name === "parallel" ? parallelRuns(inner, feed) : innerEffects(name, wrapper, inner)),
    ...later,
  ];
}

const SPLITS = doubt("option-consequences", "the option -S of env splits a text into a command");

/** The words of env with the text of `-S` in their place: options, variables and a command as well. */
function splitString(words: readonly Word[]): readonly Word[] | undefined {
  const end = words.findIndex(({ text }) => !text.startsWith("-") || text === "-" || text === "--");
  const at = words.findIndex(({ text }) => SPLIT_OPTION.test(text));
  if (at === -1 || (end !== -1 && at > end + 1)) return undefined;
  const [, attached = "", long] = SPLIT_OPTION.exec(words[at]?.text ?? "") ?? [];
  const text = long ?? (attached === "" ? undefined : attached);
  const value = text ?? words[at + 1]?.text ?? "";
  return [...words.slice(0, at), ...splitLikeEnv(value), ...words.slice(at + (text === undefined ? 2 : 1))];
}

const SPLIT_OPTION = /^(?:-[i0v]*S([\s\S]*)|--s[a-z-]*(?:=([\s\S]*))?)$/;

/** Quotes, `\_` for a blank and `${NAME}`, which is only known at run time. */
const splitLikeEnv = (text: string): readonly Word[] =>
  (text.replaceAll(String.raw`\_`, " ").match(/(?:'(?:\\.|[^'])*'|"(?:\\.|[^"])*"|\\.|[^\s\\'"])+/g) ?? []).map(
    (part) => word(part.replaceAll(/\$\{\w*\}/g, UNKNOWN).replaceAll(/['"]|\\(?=.)/g, "")),
  );

function aloneEffects(name: string, feed: Feed): readonly Effect[] {
  if (name === "env") return [doubt("secret-environment", "shows environment variables, which may hold secrets")];
  return PRINTS_ALONE.has(name) ? [] : inputEffects(feed);
}

/**
 * The command after a wrapper's options. An unknown option may take a value; then the command starts one word later.
 */
function commandEffects(given: Arguments, words: readonly Word[]): readonly Effect[] {
  const unsure = words.length > 1 && given.strange.some(({ text }) => !text.includes("="));
  const begins = unsure ? [words, words.slice(1)] : [words];
  return begins.map((inner): Effect => ({ kind: "run", words: inner, sure: true }));
}

function innerEffects(name: string, wrapper: Wrapper, inner: readonly Word[]): readonly Effect[] {
  const late = name === "flock" ? /^(?:-\w*c|--command(?:=([\s\S]*))?)$/.exec(inner[0]?.text ?? "") : null;
  if (late !== null)
    return [{ kind: "script", word: late[1] === undefined ? (inner[1] ?? word("")) : word(late[1]), sure: true }];
  if (wrapper.each === true) return inner.map((script): Effect => ({ kind: "script", word: script, sure: true }));
  return wrapper.script === true
    ? [{ kind: "script", word: word(inner.map(({ text }) => text).join(" ")), sure: true }]
    : [{ kind: "run", words: inner, sure: true }];
}

/** The commands of GNU parallel: one for each word after `:::` or each line that is certain, with `{}` replaced. */
function parallelRuns(inner: readonly Word[], feed: Feed): readonly Effect[] {
  const at = inner.findIndex(({ text }) => text === ":::" || text === ":::+");
  const command = at === -1 ? inner : inner.slice(0, at);
  const lines =
    feed.kind === "text"
      ? feed.text
          .split("\n")
          .filter((line) => line !== "")
          .map(word)
      : [];
  const fed = feed.kind === "files" ? feed.files : lines;
  const items = (at === -1 ? fed : inner.slice(at + 1)).slice(0, 16);
  const marked = command.some(({ text }) => text.includes("{}"));
  const withItem = (item: Word) =>
    marked
      ? command.map((part) => (part.text === "{}" ? item : { ...part, text: part.text.replaceAll("{}", item.text) }))
      : [...command, item];
  const runs = items.length === 0 ? [command] : items.map(withItem);
  return runs.map((words) => ({ kind: "run", words, sure: true }));
}

/** The words of the inner command. For env, a single dash means an empty environment. */
function innerOperands(name: string, wrapper: Wrapper, operands: readonly Word[]): readonly Word[] {
  const dashes = wrapper.dashes === true ? operands.findIndex(({ text }) => text === "--") : -1;
  if (dashes !== -1) return operands.slice(dashes + 1);
  return operands.slice(name === "env" && operands[0]?.text === "-" ? 1 : (wrapper.skip ?? 0));
}

/** `NAME=value` words before an inner command. */
function takeVariables(
  wrapper: Wrapper,
  words: readonly Word[],
): { readonly variables: readonly Effect[]; readonly inner: readonly Word[] } {
  const end = wrapper.variables === true ? words.findIndex(({ text }) => !/^[^=/]+=/.test(text)) : 0;
  const count = end === -1 ? words.length : end;
  const variables = words.slice(0, count).map((item): Effect => {
    const equals = item.text.indexOf("=");
    return { kind: "variable", name: item.text.slice(0, equals), word: { ...item, text: item.text.slice(equals + 1) } };
  });
  return { variables, inner: words.slice(count) };
}

/** A program that starts a tool by name. Rules name both; the tool's own table defines its options. */
interface Delegate extends ProgramGrammar {
  /** Words between the program and the tool, such as `exec` or `-m`. */
  readonly through: readonly string[];
}

const NPX = "-y -q -p: -c! --yes --no --no-install --quiet --package: --call! --prefer-offline --shell!";

const DELEGATES: readonly (readonly [string, Delegate])[] = [
  ["npx", delegate([], NPX)],
  ["bunx", delegate([], "--bun -y")],
  ["npm", delegate(["exec"], NPX)],
  ["npm", delegate(["x"], NPX)],
  ["pnpm", delegate(["exec"], "-r -c! --shell-mode?")],
  ["pnpm", delegate(["dlx"], "--package:")],
  ["yarn", delegate(["dlx"], "-p: -q")],
  ["yarn", delegate(["exec"], "")],
  ["bundle", delegate(["exec"], "--keep-file-descriptors")],
  ["poetry", delegate(["run"], "")],
  ["pipenv", delegate(["run"], "")],
  ["pipx", delegate(["run"], "--spec:")],
  [
    "uv",
    delegate(
      ["run"],
      "-qv --with& --python: -p: --extra: --group: --frozen --locked --no-sync --isolated --env-file< --directory/ --project/ --package: --with-requirements< --with-editable< --no-project --active --all-extras --all-groups --all-packages --dev --no-dev --offline --quiet --verbose --index-url@ --exact",
    ),
  ],
  ["uvx", delegate([], "--from: --with: -p: --python:")],
  ["python", delegate(["-m"], "")],
  ["python3", delegate(["-m"], "")],
];

function delegate(through: readonly string[], options: string): Delegate {
  return { through, options, operands: ":", style: "first" };
}

/** Tools covered by a rule for the program in front of them. Any other command is judged separately. */
const PROJECT_TOOLS = new Set(
  (
    "tsc eslint prettier vitest jest mocha oxlint oxfmt biome knip playwright cypress esbuild vite rollup webpack turbo nx svelte-check vue-tsc stylelint madge depcheck size-limit " +
    "pytest py.test ruff mypy black isort flake8 pylint pyright coverage bandit rspec rubocop rake"
  ).split(" "),
);

/** `uv run --python ./x` starts that program; `npx -p ./x` runs code from that path. */
function byPath({ options }: Arguments): readonly Effect[] {
  const path = options.find(
    ({ name, value }) => /^(?:-p|--python)$/.test(name) && /^[./~]|\/\./.test(value?.text ?? ""),
  );
  return path === undefined
    ? []
    : [doubt("tool-by-path", `the option ${path.name} selects a program or package by path`)];
}

/** The argv of the tool that `words` starts, and the effects of the options before it; undefined if it starts none. */
export function delegated(
  program: string,
  words: readonly Word[],
): { readonly words: readonly Word[]; readonly effects: readonly Effect[] } | undefined {
  const rest = words.slice(1);
  const found = DELEGATES.find(
    ([name, { through }]) => name === program && through.every((text, index) => rest[index]?.text === text),
  )?.[1];
  if (found === undefined) return undefined;
  const given = readArguments(found, rest.slice(found.through.length));
  const [tool, ...others] = given.operands;
  const effects = [...effectsOf({ ...found, operands: ":" }, given), ...byPath(given)];
  if (tool === undefined) return { words: [], effects };
  const own = found.through[0] === "-m" || PROJECT_TOOLS.has(tool.text);
  const runs: readonly Effect[] = own ? [] : commandEffects(given, given.operands);
  const plain = /^[\w.-]+$|^@[\w.-]+\/[\w.-]+$/.test(tool.text);
  return {
    words: own ? [tool, ...others] : [],
    effects: plain
      ? [...effects, ...runs]
      : [...effects, ...runs, doubt("tool-by-path", "the tool is given by path, URL or version")],
  };
}
