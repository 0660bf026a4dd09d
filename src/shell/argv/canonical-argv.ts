import { settingEffects } from "../programs/git-config.ts";
import { doubt, type Effect } from "../model/effect.ts";
import { effectsOf, type ProgramGrammar, readArguments } from "../programs/options.ts";
import type { Word } from "../model/word.ts";

/** An argv with the subcommand directly after the program, and the effects of the options in between. */
export interface Canonical {
  readonly words: readonly Word[];
  readonly effects: readonly Effect[];
}

const BEFORE_SUBCOMMAND: Readonly<Record<string, ProgramGrammar>> = {
  git: before(
    "-C/ -c: -p? -P --no-pager --paginate? --no-replace-objects --no-optional-locks --no-lazy-fetch --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --bare? --version --help -h -v --html-path --man-path --info-path --exec-path& --git-dir& --work-tree& --namespace& --config-env& --super-prefix& --attr-source&",
  ),
  npm: before(
    "--prefix/ -C/ -s --silent -q --quiet -d --verbose --loglevel: -w/ --workspace/ --workspaces --if-present --no-fund --no-audit --ignore-scripts --version -v --help",
  ),
  pnpm: before(
    "-C/ --dir/ -r --recursive -w --workspace-root --filter: -F: -s --silent --if-present --version -v --help",
  ),
  yarn: before("--cwd/ -s --silent --version -v --help"),
  cargo: before(
    "-C/ -q --quiet -v --verbose --color: --locked --offline --frozen --config& -Z& --version -V --list --help",
  ),
  go: { ...before("-C/"), style: "first" },
  mvn: before(
    "-q -B -X -e -o -U -v --version -T: -P: --quiet --batch-mode --offline --no-transfer-progress -f/ --file/",
  ),
  "./gradlew": before(
    "-q -i -d -v --version --quiet --info --debug --offline --stacktrace --continue --parallel --no-daemon --daemon --console: -p/ --project-dir/",
  ),
  docker: before("-D --debug -c& --context& -H& --host& --config& --version -v -l: --log-level:"),
  kubectl: before("-n: --namespace: --context& --kubeconfig& -s& --server& --cluster& --user& --token& --as& -v:"),
  gh: before("-R& --repo& --hostname@ --version"),
  terraform: { options: "-chdir/", operands: ":", style: "long", open: true },
};

/** Their own tables know all options, in any position. */
const JUDGED_WHOLE = new Set(["mvn", "./gradlew"]);

function before(options: string): ProgramGrammar {
  return { options, operands: ":", style: "first" };
}

/** Skips the options between a program and its subcommand. */
export function canonicalise(program: string, words: readonly Word[]): Canonical {
  const grammar = Object.hasOwn(BEFORE_SUBCOMMAND, program) ? BEFORE_SUBCOMMAND[program] : undefined;
  const [first, ...rest] = words;
  const option = rest[0]?.text ?? "";
  if (first === undefined || grammar === undefined || !/^[-+]/.test(option)) return { words, effects: [] };
  const toolchain = program === "cargo" && option.startsWith("+");
  if (toolchain && !/^\+[\w.-]+$/.test(option))
    return { words, effects: [doubt("toolchain", "the toolchain is selected by path")] };
  const given = readArguments(grammar, toolchain ? rest.slice(1) : rest);
  if (given.strange.length > 0 && JUDGED_WHOLE.has(program)) return { words, effects: [] };
  if (given.operands.length === 0) return { words, effects: effectsOf(grammar, given) };
  const settings =
    program === "git" ? given.options.filter(({ name }) => name === "-c").flatMap(({ value }) => value ?? []) : [];
  return {
    words: [first, ...given.operands],
    effects: [...effectsOf(grammar, given), ...settings.flatMap(settingEffects)],
  };
}
