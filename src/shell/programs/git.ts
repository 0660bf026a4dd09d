import { doubt, type Effect, question } from "../model/effect.ts";
import { transferEffects } from "./options.ts";
import type { Word } from "../model/word.ts";
import { configEffects } from "./git-config.ts";
import { CHANGING, LOOKING, TALKING } from "./git-options.ts";
import {
  checkoutEffects,
  cleanEffects,
  givenUp,
  rebaseEffects,
  removalEffects,
  resetEffects,
  restoreEffects,
  stashEffects,
} from "./git-losses.ts";
import { revisionEffects } from "./git-paths.ts";
import { broughtBy } from "./files.ts";
import { LOCAL_FORCE, pullEffects, remoteEffects, remotesEffects } from "./git-remotes.ts";
import { addedRepositories, localRemote } from "./git-repository.ts";
import type { KnownProgram, ProgramTable } from "./known-program.ts";

/** Reads history and the working tree. Operands may be revisions, paths, or both as `revision:path`. */
const LOOKS: KnownProgram = { options: LOOKING, operands: ":", open: "asks", more: (given) => revisionEffects(given) };
/** The same, but `-n` is a switch without a number. */
const COUNTS: KnownProgram = { ...LOOKS, options: LOOKING.replace(" -n: ", " -n ") };
/** Changes the repository through git. */
const CHANGES: KnownProgram = {
  options: "-m: --message: -F< --file< --source: -s:",
  operands: ":",
  open: "asks",
  more: (given) => [{ kind: "repository" }, ...revisionEffects(given)],
};
/** Connects to a remote that the repository defines, or to one in the operands. */
const TALKS: KnownProgram = {
  options: TALKING,
  operands: ":",
  open: "asks",
  more: (given) => remoteEffects(given, "read"),
};

const PATCHES = opaque("a patch can change any file, and its content is not checked");

const changing = (name: string): string => CHANGING[name] ?? "";

/** git, by subcommand. */
export const GIT_PROGRAMS: ProgramTable = {
  ...each(
    "status diff log show blame annotate ls-files ls-tree rev-parse rev-list merge-base cat-file whatchanged reflog show-ref for-each-ref diff-tree diff-index diff-files check-attr count-objects var version help cherry range-diff show-branch verify-commit verify-tag",
    LOOKS,
  ),
  ...each("describe shortlog name-rev check-ignore", COUNTS),
  ...each("prune update-ref update-index write-tree pack-refs replace sparse-checkout bundle rerere", CHANGES),
  ...Object.fromEntries(
    Object.entries(CHANGING).flatMap(([names, options]) =>
      names.split("|").map((name) => [`git ${name}`, { ...CHANGES, options }]),
    ),
  ),
  ...each("ls-remote remote-update", TALKS),
  "git push": { ...TALKS, more: (given) => remoteEffects(given, "push") },
  "git fetch": { ...TALKS, more: (given) => remoteEffects(given, "fetch", LOCAL_FORCE) },
  "git pull": { ...TALKS, more: (given) => [...remoteEffects(given, "pull", LOCAL_FORCE), ...pullEffects(given)] },
  "git clone": {
    ...TALKS,
    options: `${TALKING} -u! -o: -l -s`,
    more: (given) => [
      ...remoteEffects({ ...given, operands: given.operands.slice(0, 1) }, "clone"),
      ...given.operands.slice(1, 2).map((folder): Effect => ({ kind: "write", word: folder })),
    ],
  },
  "git restore": { ...CHANGES, options: changing("restore"), more: (given) => restoreEffects(given) },
  "git checkout": { ...CHANGES, options: changing("checkout"), more: (given, words) => checkoutEffects(given, words) },
  "git add": {
    ...CHANGES,
    options: changing("add"),
    more: (given) => [{ kind: "repository" }, ...revisionEffects(given), addedRepositories(given)],
  },
  "git reset": { ...CHANGES, options: changing("reset"), more: (given) => resetEffects(given) },
  "git rm": { ...CHANGES, options: changing("rm"), more: (given) => removalEffects(given) },
  "git mv": {
    ...CHANGES,
    options: changing("mv"),
    more: (given) => [
      { kind: "repository" },
      ...transferEffects("M", given.operands),
      ...broughtBy(given.operands),
      { kind: "git-paths", paths: given.operands.slice(0, -1), removes: true },
    ],
  },
  "git init": {
    ...CHANGES,
    options: changing("init"),
    more: (given) => [
      { kind: "repository" },
      ...given.operands.slice(0, 1).map((folder): Effect => ({ kind: "write", word: folder })),
    ],
  },
  "git symbolic-ref": {
    ...CHANGES,
    options: "-dq -m: --short --quiet --delete --recurse --no-recurse",
    more: (given) =>
      given.operands.length < 2 && !given.options.some(({ name }) => name === "-d" || name === "--delete")
        ? []
        : [{ kind: "repository" }],
  },
  "git grep": {
    ...LOOKS,
    options:
      "-O? --open-files-in-pager? -e: -f< -A: -B: -C: -m: --max-depth: --max-count: --no-index --textconv? --no-textconv --threads: -# -aiIwvhHFEGPnlLcozpWrq --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --color= --no-color --break --heading --show-function --function-context --before-context: --after-context: --context: --and --or --not --all-match --quiet --cached --untracked --no-exclude-standard --exclude-standard --recurse-submodules --parent-basename: --recursive --no-recursive --ext-grep",
    operands: ":",
    more: (given) => [
      ...revisionEffects({
        ...given,
        operands: given.operands.slice(given.options.some(({ name }) => name === "-e" || name === "-f") ? 0 : 1),
      }),
    ],
  },
  "git branch": {
    ...CHANGES,
    options:
      "-adfilmqrtvCDM --sort: --format: --contains= --no-contains= --merged= --no-merged= --points-at: --column= --no-column --color= --no-color -u: --set-upstream-to: --unset-upstream --abbrev= --no-abbrev -# --all --list --remotes --show-current --verbose --quiet --move --copy --delete --force --track= --no-track --ignore-case --create-reflog --edit-description? --recurse-submodules --omit-empty",
    more: (_, words) => (looksOnly(words) ? [] : [{ kind: "repository" }]),
  },
  "git tag": {
    ...CHANGES,
    options:
      "-adefilsv -m: -F< -u: --sort: --format: --contains= --no-contains= --merged= --no-merged= --points-at: --column= --no-column --cleanup: -n= -# --annotate --sign --no-sign --force --delete --verify? --list --message: --file< --edit --create-reflog --local-user: --trailer: --ignore-case --color= --omit-empty",
    more: (given, words) => [
      ...(looksOnly(words) ? [] : [{ kind: "repository" } as const]),
      ...(given.options.some(({ name }) => name === "-d" || name === "--delete") ||
      given.strange.some(({ text }) => text.startsWith("--d"))
        ? [question("throws-away", "deletes a tag, and git keeps no record of where it pointed")]
        : []),
    ],
  },
  "git stash": { ...CHANGES, options: changing("stash"), more: (given) => stashEffects(given) },
  "git remote": { ...LOOKS, options: "-nv --verbose --push --all", more: (given) => remotesEffects(given) },
  "git rebase": {
    ...CHANGES,
    options: changing("rebase"),
    more: (given) => rebaseEffects(given),
  },
  ...Object.fromEntries(
    ["merge", "cherry-pick|revert"].flatMap((names) =>
      names
        .split("|")
        .map((name): [string, KnownProgram] => [
          `git ${name}`,
          { ...CHANGES, options: changing(names), more: (given, words) => givenUp(given, words) },
        ]),
    ),
  ),
  "git clean": {
    ...CHANGES,
    options: changing("clean"),
    more: (given) => cleanEffects(given),
  },
  "git config": {
    options:
      "--file> -f> --blob: --type: --default: --global? --system? --worktree --local --get --get-all --get-regexp --list -l -e? --edit? --add --unset --unset-all --replace-all --show-origin --show-scope --name-only --null -z --bool --int",
    operands: ":",
    more: configEffects,
  },
  "git worktree": {
    ...CHANGES,
    options: changing("worktree"),
    operands: ":",
    more: (given) =>
      given.operands[0]?.text === "list"
        ? []
        : [
            { kind: "repository" },
            ...given.operands.slice(1, 2).map((folder): Effect => ({ kind: "write", word: folder })),
          ],
  },
  "git archive": {
    ...LOOKS,
    more: (given) => [
      ...revisionEffects(given),
      ...given.options.flatMap(({ name, value }) =>
        name === "--remote" && value !== undefined ? [localRemote(value)] : [],
      ),
    ],
    options:
      "-lv -# --list --verbose --remote@ --exec! -o> --output> --format: --prefix: --add-file< --add-virtual-file: --worktree-attributes --mtime:",
  },
  "git format-patch": {
    ...LOOKS,
    options: `${LOOKING} -o> -nkNs --output-directory> --output> -v: --reroll-count: --to: --cc: --no-to --no-cc --from= --subject-prefix: --start-number: --stdout --numbered --no-numbered --numbered-files --keep-subject --no-attach --attach= --inline= --thread= --no-thread --in-reply-to: --suffix: --signature: --signature-file< --no-signature --base: --cover-letter --cover-from-description: --description-file< --interdiff: --range-diff: --rfc= --zero-commit --signoff --add-header: --filename-max-length: --always --force-in-body-from`,
  },
  "git apply": { ...PATCHES, options: "--directory>" },
  "git am": { ...PATCHES, options: "--directory>" },
  "git checkout-index": {
    ...CHANGES,
    options: "-aufqn --all --force --quiet --no-create --temp --prefix> --stage: --stdin& -z",
    operands: ">",
    open: false,
  },
  "git read-tree": { ...CHANGES, options: "-muivnq --reset --prefix> --index-output>", open: false },
  "git merge-file": { options: "-pq -L: --stdout --quiet --diff3 --zdiff3 --ours --theirs --union", operands: "><" },
  "git bisect": {
    ...CHANGES,
    options: changing("bisect"),
    more: (given) => {
      const [sub, ...rest] = given.operands;
      if (sub?.text === "run")
        return [doubt("runs-program", "git bisect run runs a program"), { kind: "run", words: rest, sure: false }];
      const ordinary = /^(?:start|good|bad|old|new|skip|reset|log|terms|next|replay|help)$/.test(sub?.text ?? "help");
      return ordinary
        ? [{ kind: "repository" }]
        : [question("subcommand", `git bisect ${sub?.text} may start a viewer`)];
    },
  },
  "git submodule": {
    ...CHANGES,
    more: (given) =>
      given.operands[0]?.text === "foreach"
        ? given.operands.slice(1).map((script): Effect => ({ kind: "script", word: script, sure: false }))
        : [
            ...given.operands.slice(2).map((folder): Effect => ({ kind: "write", word: folder })),
            doubt("git-submodule", "submodules bring their own code and remotes"),
          ],
  },
  "git filter-branch": opaque("runs a program for each commit"),
  "git credential": opaque("shows stored credentials"),
  "git hook": opaque("runs a hook"),
  "git difftool": opaque("starts another program"),
  "git mergetool": opaque("starts another program"),
  "git instaweb": opaque("starts a server"),
  "git daemon": opaque("starts a server"),
  "git send-email": opaque("sends mail"),
  "git maintenance": opaque("may register timers"),
};

function each(names: string, program: KnownProgram): Record<string, KnownProgram> {
  return Object.fromEntries(names.split(" ").map((name) => [`git ${name}`, program]));
}

function opaque(because: string): KnownProgram {
  return { options: "", operands: ":", open: true, more: () => [doubt("git-opaque", because)] };
}

const LISTS_NAMES =
  /^(?:-[arvilq]+|--(?:list|show-current|all|remotes|verbose|column|no-column|color|no-color|ignore-case|sort|format|contains|no-contains|merged|no-merged|points-at|abbrev|no-abbrev)(?:=.*)?|-n\d*)$/;

/**
 * `git branch` and `git tag` only list if all their options do, and if names appear only with an option that accepts
 * patterns.
 */
function looksOnly(words: readonly Word[]): boolean {
  const options = words.filter(({ text }) => text.startsWith("-"));
  if (!options.every(({ text }) => LISTS_NAMES.test(text))) return false;
  const names = words.filter(({ text }) => !text.startsWith("-"));
  return (
    names.length === 0 ||
    options.some(({ text }) =>
      /^(?:-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at|--sort|--format)/.test(text),
    )
  );
}
