import { doubt, type Effect, question } from "../model/effect.ts";
import type { Word } from "../model/word.ts";
import { broughtBy } from "./files.ts";
import {
  checkoutEffects,
  cleanEffects,
  givenUp,
  rebaseEffects,
  removalEffects,
  resetEffects,
  restoreEffects,
  revisionEffects,
  stashEffects,
} from "./git-losses.ts";
import { checkedOut, settingsNeeds } from "./git-needs.ts";
import { LOCAL_FORCE, pullEffects, remoteEffects, remotesEffects } from "./git-remotes.ts";
import { addedRepositories, configEffects, gitUse, localRemote } from "./git-repository.ts";
import type { KnownProgram, ProgramTable } from "./known-program.ts";
import { type Arguments, transferEffects } from "./options.ts";

/** Options of git by group. Only those that run, load, write or read something have a suffix. */
const DIFF =
  "--output> --ext-diff? --textconv? --no-ext-diff --no-textconv --no-index -O< -S: -G: -U: -l: -I: -M= -C= -B= -X= -x: -abcdefghijkmopqrstuvwzDEFHPRW --patch --no-patch --raw --stat= --numstat --shortstat --dirstat= --dirstat-by-file= --cumulative --summary --name-only --name-status --submodule= --color= --no-color --color-moved= --color-moved-ws: --color-words= --word-diff= --word-diff-regex: --no-renames --renames --rename-empty --no-rename-empty --check --full-index --binary --abbrev= --no-abbrev --break-rewrites= --find-renames= --find-copies= --find-copies-harder --irreversible-delete --diff-filter: --pickaxe-all --pickaxe-regex --find-object: --relative= --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines: --function-context --exit-code --quiet --ignore-submodules= --no-prefix --default-prefix --src-prefix: --dst-prefix: --line-prefix: --ita-invisible-in-index --ita-visible-in-index --merge-base --cached --staged --cc --combined-all-paths --patience --minimal --histogram --anchored: --diff-algorithm: --compact-summary --patch-with-stat --patch-with-raw --indent-heuristic --no-indent-heuristic --ws-error-highlight: --output-indicator-new: --output-indicator-old: --output-indicator-context: --unified: --inter-hunk-context: --skip-to: --rotate-to: --max-depth: --base --ours --theirs --no-color-moved --no-stat";

const LOG =
  "-L: -n: --format: --pretty= --grep: --author: --committer: --since: --until: --after: --before: --since-as-filter: --max-count: --max-count-oldest: --skip: --date: --oneline --graph --no-graph --all --branches= --tags= --remotes= --glob: --exclude: --exclude-hidden: --reflog --reverse --topo-order --date-order --author-date-order --first-parent --exclude-first-parent-only --merges --no-merges --min-parents: --max-parents: --no-min-parents --no-max-parents --left-right --left-only --right-only --cherry --cherry-mark --cherry-pick --boundary --simplify-merges --simplify-by-decoration --full-history --dense --sparse --show-pulls --ancestry-path= --follow --no-follow --decorate= --no-decorate --decorate-refs: --decorate-refs-exclude: --clear-decorations --source --use-mailmap --mailmap --no-mailmap --log-size --invert-grep --all-match --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --remove-empty --parents --children --timestamp --show-signature? --notes= --no-notes --show-notes= --standard-notes --no-standard-notes --encoding: --expand-tabs= --no-expand-tabs --abbrev-commit --no-abbrev-commit --relative-date --walk-reflogs --grep-reflog: --diff-merges: --no-diff-merges --remerge-diff --dd --count --objects --objects-edge --objects-edge-aggressive --no-object-names --object-names --no-walk= --do-walk --stdin? --disk-usage= --header --max-age: --min-age: --bisect --bisect-vars --bisect-all --not --single-worktree --ignore-missing --alternate-refs? --missing: --unpacked --in-commit-order --no-commit-header --commit-header --progress= --no-progress --use-bitmap-index --filter: --no-filter --filter-print-omitted --root --children --indexed-objects --show-linear-break= --color-graph";

const LISTING =
  "--porcelain= --line-porcelain --incremental --show-stats --score-debug --show-name --show-number --show-email --contents< --ignore-rev: --ignore-revs-file< --short= --branch --show-stash --long --untracked-files= --ignored= --ahead-behind --no-ahead-behind --column= --no-column --verbose --deleted --modified --others --stage --directory --no-empty-directory --unmerged --killed --resolve-undo --deduplicate --eol --error-unmatch --with-tree: --full-name --recurse-submodules --object-only --full-tree --exclude-standard --exclude-from< --exclude-per-directory: " +
  "--show-toplevel --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-prefix --show-cdup --show-superproject-working-tree --git-path: --abbrev-ref= --symbolic --symbolic-full-name --verify --sq --revs-only --no-revs --flags --no-flags --default: --prefix: --local-env-vars --show-object-format= --show-ref-format --parseopt? --sq-quote --path-format: --disambiguate: --shared-index-path " +
  "--always --dirty= --broken= --exact-match --candidates: --match: --contains= --no-contains= --merged= --no-merged= --points-at: --debug --numbered --email --group: --octopus --is-ancestor --fork-point --independent --refs: --annotate-stdin --undefined --no-undefined --head --heads --dereference --hash= --exists --exclude-existing= --count: --shell --perl --python --tcl --sort: --ignore-case --omit-empty --include-root-refs --start-after: --non-matching --human-readable --list --current --more: --creation-factor: --no-dual-color --dual-color --left-only --right-only --show-current --batch? --batch-command? --batch-all-objects? --batch-check= --filters? --path: --buffer --follow-symlinks --unordered --no-type --pathspec-from-file& --pathspec-file-nul --web? --info? --man --guides --config --all --no-external-commands --aliases --no-aliases -# ";

const LOOKING = `${DIFF} ${LOG} ${LISTING}`;

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

const TALKING =
  "--upload-pack! --receive-pack! --exec! -o& --server-option: --push-option: --repo@ --depth: --deepen: --branch: -b: -j: --jobs: --recurse-submodules= --no-recurse-submodules --recurse-submodules-default: --shallow-since: --shallow-exclude: --shallow-submodules --filter: --also-filter-submodules --refmap: -c& --config& --template& --reference& --reference-if-able& --separate-git-dir& --bundle-uri& --origin: " +
  "-afknpqtuv46Pde -S= -r= -s: -X: --all --append --atomic --unshallow --update-shallow --update-head-ok --negotiation-tip: --negotiate-only --dry-run --force --keep --multiple --auto-maintenance --no-auto-maintenance --auto-gc --no-auto-gc --prune --prune-tags --no-tags --tags --set-upstream --verbose --quiet --progress --no-progress --ipv4 --ipv6 --show-forced-updates --no-show-forced-updates --write-fetch-head --no-write-fetch-head --write-commit-graph --prefetch --refetch --stdin? --porcelain --rebase= --no-rebase --ff --ff-only --no-ff --commit --no-commit --edit --no-edit --squash --no-squash --stat --no-stat --compact-summary --log= --no-log --strategy: --strategy-option: --autostash --no-autostash --verify-signatures? --allow-unrelated-histories --signoff --cleanup: --gpg-sign= --no-verify --verify --delete --follow-tags --no-follow-tags --signed= --force-with-lease= --force-if-includes --mirror --thin --no-thin --heads --branches --refs --get-url --sort: --exit-code --symref --bare --no-checkout --single-branch --no-single-branch --local --no-local --no-hardlinks --shared --dissociate --sparse --remote-submodules --no-remote-submodules --reject-shallow";

/** Connects to a remote that the repository defines, or to one in the operands. */
const TALKS: KnownProgram = {
  options: TALKING,
  operands: ":",
  open: "asks",
  more: (given) => remoteEffects(given, "read"),
};

const PATCHES = opaque("a patch can change any file, and its content is not checked");

const changing = (name: string): string => CHANGING[name] ?? "";

const LISTS_NAMES =
  /^(?:-[arvilq]+|--(?:list|show-current|all|remotes|verbose|column|no-column|color|no-color|ignore-case|sort|format|contains|no-contains|merged|no-merged|points-at|abbrev|no-abbrev)(?:=.*)?|-n\d*)$/;

const CHANGING: Readonly<Record<string, string>> = {
  add: "-ApunvfNi -e? --all --patch --update --dry-run --verbose --force --interactive --edit? --intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --chmod: --sparse --no-all --ignore-removal --no-ignore-removal --no-warn-embedded-repo --pathspec-from-file& --pathspec-file-nul -U: --unified: --inter-hunk-context:",
  commit:
    "-apvqeioszn -m: -F< -t< -C: -c: -S= -u= --message: --file< --template< --author: --date: --fixup: --squash: --cleanup: --trailer: --reuse-message: --reedit-message: --all --amend --no-edit --edit --verbose --no-verbose --quiet --signoff --no-signoff --allow-empty --allow-empty-message --dry-run --short --branch --porcelain --long --null --status --no-status --include --only --interactive --patch --no-post-rewrite --reset-author --no-gpg-sign --gpg-sign= --no-verify --verify --untracked-files= --pathspec-from-file& --pathspec-file-nul",
  checkout:
    "-fqmptld -b: -B: --orphan: --conflict: --force --quiet --merge --patch --track= --no-track --guess --no-guess --detach --ours --theirs --progress --no-progress --ignore-skip-worktree-bits --recurse-submodules= --no-recurse-submodules --overlay --no-overlay --ignore-other-worktrees --overwrite-ignore --no-overwrite-ignore -U: --unified: --inter-hunk-context: --pathspec-from-file& --pathspec-file-nul",
  switch:
    "-dfmq -t= -c: -C: --create: --force-create: --detach --guess --no-guess --force --discard-changes --merge --conflict: --quiet --progress --no-progress --track= --no-track --orphan: --ignore-other-worktrees --recurse-submodules= --no-recurse-submodules --overwrite-ignore",
  restore:
    "-pWSqm --source: -s: --staged --worktree --quiet --patch --ours --theirs --merge --conflict: --overlay --no-overlay --ignore-unmerged --ignore-skip-worktree-bits --recurse-submodules= --progress --no-progress --pathspec-from-file& --pathspec-file-nul",
  reset:
    "-Nqp --soft --mixed --hard --merge --keep --quiet --no-quiet --patch --intent-to-add --refresh --no-refresh --recurse-submodules= --pathspec-from-file& --pathspec-file-nul",
  rm: "-fnrq --force --dry-run --cached --ignore-unmatch --quiet --sparse --pathspec-from-file& --pathspec-file-nul",
  mv: "-fknv --force --dry-run --verbose --sparse",
  stash: `${DIFF} -mS -m: --keep-index --no-keep-index --include-untracked --no-include-untracked --only-untracked --message: --index --pathspec-from-file& --pathspec-file-nul --all --staged`,
  merge:
    "-nqvex -m: -F< -s: -X: -S= --no-ff --ff --ff-only --squash --no-squash --commit --no-commit --edit --no-edit --stat --no-stat --compact-summary --log= --no-log --strategy: --strategy-option: --abort --continue --quit --no-verify --verify --verify-signatures? --no-verify-signatures --allow-unrelated-histories --autostash --no-autostash --rerere-autoupdate --no-rerere-autoupdate --signoff --no-signoff --gpg-sign= --no-gpg-sign --overwrite-ignore --no-overwrite-ignore --into-name: --cleanup: --progress --no-progress --quiet --verbose --message: --file<",
  "cherry-pick|revert":
    "-exrns -m: -S= -X: -s --edit --no-edit --no-commit --signoff --ff --allow-empty --allow-empty-message --keep-redundant-commits --mainline: --strategy: --strategy-option: --continue --skip --quit --abort --cleanup: --gpg-sign= --no-gpg-sign --reference --rerere-autoupdate --no-rerere-autoupdate --empty: --commit --no-verify",
  rebase:
    "-imqvnfk -x! --exec! --onto: -s: -X: --strategy: --strategy-option: -C: -S= --continue --skip --abort --quit --show-current-patch --interactive --autosquash --no-autosquash --autostash --no-autostash --keep-base --root --no-edit --reapply-cherry-picks --empty: --rebase-merges= --update-refs --no-update-refs --force-rebase --no-ff --fork-point --signoff --quiet --verbose --stat --no-stat --no-verify --verify --committer-date-is-author-date --reset-author-date --edit-todo? --apply --merge --gpg-sign= --keep-empty --trailer:",
  notes:
    "-fev -m: -F< -C: -c: -s: --ref: --force --allow-empty --message: --file< --reuse-message: --reedit-message: --separator= --no-separator --stripspace --strategy: --commit --abort --quiet --ignore-missing --dry-run --verbose",
  fsck: "-v --full --no-full --strict --unreachable --dangling --no-dangling --lost-found --cache --no-reflogs --root --tags --verbose --progress --no-progress --connectivity-only --name-objects --references",
  gc: "-q --auto --prune= --no-prune --aggressive --quiet --force --keep-largest-pack --cruft --no-cruft --max-cruft-size: --detach --no-detach --expire-to>",
  clean: "-dfinqxX -e: --force --interactive --dry-run --quiet --exclude:",
  bisect: "--term-new: --term-old: --term-good: --term-bad: --no-checkout --first-parent",
  worktree:
    "-fdqvzn -b: -B: --force --detach --checkout --no-checkout --lock --reason: --porcelain --expire: --track --no-track --guess-remote --no-guess-remote --orphan --dry-run --verbose --quiet --relative-paths --no-relative-paths",
  init: "-q -b: --initial-branch: --quiet --bare --shared= --template& --separate-git-dir& --object-format: --ref-format:",
};

/** git, by subcommand. */
const GIT_PROGRAMS: ProgramTable = {
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

const TABLE = new Map(Object.entries(GIT_PROGRAMS));

/** What a git subcommand does. A separate part, which the hook loads only for git. */
export function gitProgram(name: string): KnownProgram | undefined {
  return TABLE.get(name);
}

/** What a git subcommand does beyond its options and operands: where it finds its repository, and what it checks out. */
export function gitEffects(subcommand: string, given: Arguments): readonly Effect[] {
  return [...gitUse(subcommand, given), ...settingsNeeds(subcommand, given), ...checkedOut(subcommand, given)];
}

function each(names: string, program: KnownProgram): Record<string, KnownProgram> {
  return Object.fromEntries(names.split(" ").map((name) => [`git ${name}`, program]));
}

function opaque(because: string): KnownProgram {
  return { options: "", operands: ":", open: true, more: () => [doubt("git-opaque", because)] };
}

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
