/** What one command of a check runs. */
export interface Invocation {
  /** The program, if it is looked up by its name. */
  readonly program: string | undefined;
  readonly scripts: readonly string[];
  /** Scripts of a package manifest, by name. */
  readonly manifestScripts: readonly string[];
  /** Targets of a makefile; an empty one is the default. */
  readonly targets: readonly string[];
  /** Where make looks for them, and the makefile, if they are named. */
  readonly folder?: string | undefined;
  readonly makefile?: string | undefined;
  readonly modules: readonly string[];
  /** Shell code in an argument. */
  readonly texts: readonly string[];
}

type Words = readonly (string | undefined)[];

const NOTHING: Invocation = {
  program: undefined,
  scripts: [],
  manifestScripts: [],
  targets: [],
  modules: [],
  texts: [],
};

/** Reads the words of one command. An undefined word is only known when it runs. */
export function readInvocation(given: Words): Invocation {
  const words = unwrap(given);
  const [program, ...rest] = words;
  // A variable with the name of an interpreter is common in makefiles.
  if (program === undefined)
    return { ...NOTHING, scripts: interpreter(rest).scripts.filter((file) => /[./]/.test(file)) };
  if (program === "") return NOTHING;
  if (program.includes("/")) return withName(program, rest);
  if (program === "." || program === "source") return { ...NOTHING, scripts: known(rest).slice(0, 1) };
  if (program === "eval") return { ...NOTHING, texts: [known(rest).join(" ")] };
  return { ...readProgram(program, rest), program };
}

/** A program by its path may be an interpreter too: `.venv/bin/python check.py`. */
function withName(path: string, rest: Words): Invocation {
  const name = path.split("/").at(-1) ?? "";
  const read = readProgram(name, rest);
  return { ...read, scripts: [path, ...read.scripts] };
}

function readProgram(program: string, rest: Words): Invocation {
  if (SHELLS.has(program)) return shell(rest);
  if (/^python[\d.]*$/.test(program)) return python(rest);
  if (INTERPRETERS.has(program)) return interpreter(rest);
  if (MANAGERS.has(program)) return manager(program, rest);
  if (MAKERS.has(program)) {
    const makefile = valueOf(rest, /^(?:-f|--file|--makefile|--justfile)$/);
    const folder = valueOf(rest, /^(?:-C|--directory)$/);
    const scripts = makefile === undefined ? [] : [folder === undefined ? makefile : `${folder}/${makefile}`];
    return { ...NOTHING, targets: targetsIn(rest), scripts, folder, makefile };
  }
  const config = CONFIGURABLE.has(program) ? valueOf(rest, CONFIG_OPTION) : undefined;
  return config === undefined || !/[./]/.test(config) ? NOTHING : { ...NOTHING, scripts: [config] };
}

/** Runners whose configuration can be named on the command line. */
const CONFIGURABLE: ReadonlySet<string> = new Set(
  `jest vitest vite mocha ava tap c8 nyc playwright cypress karma tsc eslint biome prettier oxlint pytest tox nox mypy ruff
  pyright pylint flake8 rspec rubocop phpunit pest phpstan golangci-lint ctest`.split(/\s+/),
);
const CONFIG_OPTION =
  /^(?:-c|--config|--configuration|--config-file|--rcfile|--rootdir|-p|--project|--require|-r|--setupFiles|--bootstrap)$/;

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"]);
const INTERPRETERS: ReadonlySet<string> = new Set(
  "node nodejs ruby perl php deno bun tsx ts-node esno Rscript lua pwsh julia elixir groovy jshell".split(" "),
);
const MANAGERS: ReadonlySet<string> = new Set(["npm", "yarn", "pnpm", "bun", "composer"]);
const MAKERS: ReadonlySet<string> = new Set(["make", "gmake", "just"]);

/** Programs that start another one: how many words of theirs come first. Options and assignments are skipped. */
const WRAPPERS: Readonly<Record<string, readonly string[]>> = {
  env: [],
  exec: [],
  command: [],
  time: [],
  nice: [],
  nohup: [],
  "cross-env": [],
  "xvfb-run": [],
  npx: [],
  bunx: [],
  pnpx: [],
  dotenv: [],
  stdbuf: [],
  timeout: ["*"],
  uv: ["run"],
  poetry: ["run"],
  pipenv: ["run"],
  pdm: ["run"],
  rye: ["run"],
  hatch: ["run"],
  bundle: ["exec"],
  "!": [],
};

function unwrap(words: Words): Words {
  let rest = words;
  for (let step = 0; step < 8; step++) {
    while (rest[0] !== undefined && /^[A-Za-z_]\w*=/.test(rest[0])) rest = rest.slice(1);
    const start = rest[0] === undefined ? undefined : Object.hasOwn(WRAPPERS, rest[0]) ? WRAPPERS[rest[0]] : undefined;
    if (start === undefined) return rest;
    const after = skipOptions(rest.slice(1));
    if (start[0] !== undefined && start[0] !== "*" && after[0] !== start[0]) return rest;
    rest = skipOptions(after.slice(start.length));
  }
  return rest;
}

function skipOptions(words: Words): Words {
  const at = words.findIndex((word) => word === undefined || !/^-|^[A-Za-z_]\w*=/.test(word));
  return at === -1 ? [] : words.slice(at);
}

function shell(words: Words): Invocation {
  const code = words.findIndex((word) => word !== undefined && /^-[a-z]*c$/.test(word));
  const text = code === -1 ? undefined : words[code + 1];
  if (text !== undefined) return { ...NOTHING, texts: [text] };
  return { ...NOTHING, scripts: known(skipOptions(words)).slice(0, 1) };
}

function python(words: Words): Invocation {
  const module = valueOf(words, /^-m$/);
  if (module !== undefined) return { ...NOTHING, modules: [module.split(".")[0] ?? module] };
  return words.some((word) => word === "-c") ? NOTHING : { ...NOTHING, scripts: known(skipOptions(words)).slice(0, 1) };
}

/** Options of node and its kin that take a value, and run it first. */
const PRELOAD = /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|--config)$/;
/** What follows is a list of tests, or code. */
const NO_SCRIPT = /^(?:--test|-e|--eval|-p|--print|-n|-x|test|check|lint|fmt)$/;

function interpreter(words: Words): Invocation {
  const preloads = words.flatMap((word, at) => {
    const [, inline] = /^--(?:require|import|loader|preload|config)=(.*)$/.exec(word ?? "") ?? [];
    const value = inline ?? (isPreload(words[at]) ? words[at + 1] : undefined);
    return value !== undefined && /^\.{0,2}\/|\.\w+$/.test(value) ? [value] : [];
  });
  const rest = words.filter((word, at) => word !== "run" && !isPreload(word) && !isPreload(words[at - 1]));
  const first = rest.findIndex((word) => word === undefined || !word.startsWith("-"));
  const options = first === -1 ? rest : rest.slice(0, first + 1);
  const script = first === -1 ? undefined : rest[first];
  const hasNone = script === undefined || options.some((word) => word !== undefined && NO_SCRIPT.test(word));
  return { ...NOTHING, scripts: hasNone ? preloads : [...preloads, script] };
}

const isPreload = (word: string | undefined) => word !== undefined && PRELOAD.test(word);

const OWN_COMMANDS: ReadonlySet<string> = new Set(
  "install ci i add remove exec x dlx audit publish pack version init link outdated why list ls config cache".split(
    " ",
  ),
);

function manager(program: string, words: Words): Invocation {
  const operands = known(words.filter((word) => word === undefined || !word.startsWith("-")));
  const [verb = "", name = ""] = operands.filter(
    (word, at) =>
      !/^(?:--prefix|-C|-w|--workspace|--filter|--cwd)$/.test(words[words.indexOf(word) - 1] ?? "") || at < 0,
  );
  if (program === "bun" && verb === "test") return NOTHING;
  if (/^(?:exec|x|dlx)$/.test(verb))
    return readInvocation(words.slice(words.indexOf(verb) + 1).filter((word) => word !== "--"));
  if (/^(?:run|run-script|rum|workspaces?|foreach)$/.test(verb))
    return { ...NOTHING, manifestScripts: name === "" ? [] : [name] };
  if (verb === "t" || verb === "tst") return { ...NOTHING, manifestScripts: ["test"] };
  if (verb === "" || OWN_COMMANDS.has(verb)) return NOTHING;
  if (program === "bun" && /\.\w+$/.test(verb)) return { ...NOTHING, scripts: [verb] };
  return { ...NOTHING, manifestScripts: [verb] };
}

function targetsIn(words: Words): readonly string[] {
  const found = known(words).filter(
    (word, at) =>
      !/^-|=|^\d+$/.test(word) && !/^(?:-f|-C|--file|--makefile|--directory|--justfile)$/.test(words[at - 1] ?? ""),
  );
  return found.length === 0 ? [""] : found;
}

function valueOf(words: Words, option: RegExp): string | undefined {
  for (const [at, word] of words.entries()) {
    if (word === undefined) continue;
    const [name = "", ...value] = word.split("=");
    if (option.test(word)) return words[at + 1];
    if (word.startsWith("--") && value.length > 0 && option.test(name)) return value.join("=");
  }
  return undefined;
}

const known = (words: Words): readonly string[] => words.filter((word) => word !== undefined);
