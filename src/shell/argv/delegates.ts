import { doubt, type Effect } from "../model/effect.ts";
import { type Arguments, effectsOf, type ProgramGrammar, readArguments } from "../programs/options.ts";
import type { Word } from "../model/word.ts";
import { commandEffects } from "./wrappers.ts";

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
