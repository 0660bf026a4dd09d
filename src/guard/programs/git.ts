import { holdsProtected } from "../paths/holds-protected.ts";
import { doubt, type Effect } from "../shell/effect.ts";
import { type Arguments, transferEffects } from "../shell/options.ts";
import { UNKNOWN, type Word } from "../shell/word.ts";
import { configEffects } from "./git-config.ts";
import type { Program, ProgramTable } from "./program.ts";

const DIFF =
  "--output> --ext-diff? --textconv? --no-ext-diff --no-textconv --no-index -O< -S: -G: -U: -L: -l: --diff-filter: --word-diff= --word-diff-regex: --stat= --format: --pretty= --grep: --author: --committer: " +
  "--since: --until: --after: --before: --max-count: --skip: --date: --decorate= --color= --inter-hunk-context: --src-prefix: --dst-prefix: --unified: --find-object: --contents< --ignore-revs-file< --exclude-standard --exclude: --exclude-from< --filters? --batch-command";

/** Reads history and the working tree. Operands may be revisions, paths, or both as `revision:path`. */
const LOOKS: Program = { options: `${DIFF} -#`, operands: ":", open: true, more: (given) => revisionEffects(given) };
/** Changes the repository through git. */
const CHANGES: Program = {
  options: "-m: --message: -F< --file< --source: -s:",
  operands: ":",
  open: true,
  more: (given) => [{ kind: "repository" }, ...revisionEffects(given)],
};
/** Talks to a remote: one that the repository names, or one in the operands. */
const TALKS: Program = {
  options:
    "--upload-pack! --receive-pack! --exec! -o& --server-option: --repo@ --depth: --branch: -b: -j: --jobs: --recurse-submodules= --shallow-since: --filter: --refmap: -c& --config& --template& --reference< --separate-git-dir& -u",
  operands: ":",
  open: true,
  more: (given) => remoteEffects(given),
};

/** git, by sub-command. */
export const GIT_PROGRAMS: ProgramTable = {
  ...each(
    "status diff log show blame annotate ls-files ls-tree rev-parse rev-list describe shortlog merge-base cat-file name-rev whatchanged reflog show-ref for-each-ref diff-tree diff-index diff-files check-ignore check-attr count-objects var version help cherry range-diff show-branch ls-remote-refs verify-commit verify-tag",
    LOOKS,
  ),
  ...each(
    "add commit checkout switch restore reset rm mv stash merge rebase cherry-pick revert clean init gc prune notes update-ref update-index read-tree write-tree symbolic-ref pack-refs replace sparse-checkout bundle fsck rerere",
    CHANGES,
  ),
  ...each("fetch pull push clone ls-remote remote-update", TALKS),
  "git restore": {
    ...CHANGES,
    options: "--source: -s: --pathspec-from-file&",
    more: (given) => pathEffects(given, "--source -s"),
  },
  "git checkout": {
    ...CHANGES,
    options: "-b: -B: --orphan: --conflict: --pathspec-from-file&",
    more: (given) => pathEffects(given, ""),
  },
  "git rm": {
    ...CHANGES,
    options: "--pathspec-from-file&",
    more: (given) => [
      { kind: "repository" },
      ...(given.strange.some(({ text }) => text === "--cached") ? [] : pathEffects(given, "")),
    ],
  },
  "git mv": { ...CHANGES, more: (given) => [{ kind: "repository" }, ...transferEffects("M", given.operands)] },
  "git init": {
    ...CHANGES,
    options: "--template& --separate-git-dir& -b: --initial-branch: --object-format: --ref-format:",
  },
  "git symbolic-ref": {
    ...CHANGES,
    options: "-m: -d",
    more: (given) => (given.operands.length < 2 && given.options.length === 0 ? [] : [{ kind: "repository" }]),
  },
  "git grep": {
    ...LOOKS,
    options: "-O? --open-files-in-pager? -e: -f< -A: -B: -C: -m: --max-depth: --no-index --textconv? --threads: -#",
    operands: ":",
    more: (given) => [
      ...revisionEffects({
        ...given,
        operands: given.operands.slice(given.options.some(({ name }) => name === "-e") ? 0 : 1),
      }),
    ],
  },
  "git branch": {
    ...CHANGES,
    options:
      "--sort: --format: --contains= --no-contains= --merged= --no-merged= --points-at: --column= --color= -u: --set-upstream-to: --abbrev= -#",
    more: (_, words) => (looksOnly(words) ? [] : [{ kind: "repository" }]),
  },
  "git tag": {
    ...CHANGES,
    options:
      "-m: -F< -u: --sort: --format: --contains= --no-contains= --merged= --points-at: --column= --cleanup: -n= -#",
    more: (_, words) => (looksOnly(words) ? [] : [{ kind: "repository" }]),
  },
  "git stash": {
    ...CHANGES,
    more: (given) => (["list", "show"].includes(given.operands[0]?.text ?? "") ? [] : [{ kind: "repository" }]),
  },
  "git remote": {
    ...LOOKS,
    options: "-v",
    more: (given) =>
      given.operands.length === 0 || ["get-url", "show"].includes(given.operands[0]?.text ?? "")
        ? []
        : [{ kind: "repository" }, doubt("git-remote", "it changes where the repository talks to")],
  },
  "git commit": {
    ...CHANGES,
    options:
      "-m: -F< -t< -C: -c: --message: --file< --template< --author: --date: --fixup: --squash: --cleanup: --trailer: --reuse-message: --reedit-message: -S= -u=  --pathspec-from-file&",
  },
  "git rebase": { ...CHANGES, options: "-x! --exec! --onto: -s: -X: --strategy: --strategy-option: -C: -S=" },
  "git config": {
    options:
      "--file> -f> --blob: --type: --default: --global? --system? --worktree --local --get --get-all --get-regexp --list -l -e? --edit? --add --unset --unset-all --replace-all --show-origin --show-scope --name-only --null -z --bool --int",
    operands: ":",
    more: configEffects,
  },
  "git worktree": {
    ...CHANGES,
    options: "-b: -B: --reason: --expire:",
    operands: ":",
    more: (given) =>
      given.operands[0]?.text === "list"
        ? []
        : [
            { kind: "repository" },
            ...given.operands.slice(1, 2).map((folder): Effect => ({ kind: "write", word: folder })),
          ],
  },
  "git archive": { ...LOOKS, options: "--remote@ --exec! -o> --output> --format: --prefix: --add-file<" },
  "git format-patch": {
    ...LOOKS,
    options: "-o> --output-directory> --output> -v: --to: --cc: --subject-prefix: --start-number: -#",
  },
  "git apply": opaque("a patch may touch any file; its content is not judged"),
  "git am": opaque("a patch may touch any file; its content is not judged"),
  "git bisect": {
    ...CHANGES,
    more: (given) =>
      given.operands[0]?.text === "run"
        ? [
            doubt("runs-program", "git bisect run runs a program"),
            { kind: "run", words: given.operands.slice(1), sure: false },
          ]
        : [{ kind: "repository" }],
  },
  "git submodule": {
    ...CHANGES,
    more: (given) =>
      given.operands[0]?.text === "foreach"
        ? given.operands.slice(1).map((script): Effect => ({ kind: "script", word: script, sure: false }))
        : [doubt("git-submodule", "sub-modules bring code and remotes of their own")],
  },
  "git filter-branch": opaque("it runs a program for each commit"),
  "git credential": opaque("it shows stored credentials"),
  "git hook": opaque("it runs a hook"),
  "git difftool": opaque("it starts another program"),
  "git mergetool": opaque("it starts another program"),
  "git instaweb": opaque("it starts a server"),
  "git daemon": opaque("it starts a server"),
  "git send-email": opaque("it sends mail"),
  "git maintenance": opaque("it may register timers"),
};

function each(names: string, program: Program): Record<string, Program> {
  return Object.fromEntries(names.split(" ").map((name) => [`git ${name}`, program]));
}

function opaque(because: string): Program {
  return { options: "", operands: ":", open: true, more: () => [doubt("git-opaque", because)] };
}

const LISTING =
  /^(?:-[arvilq]+|--(?:list|show-current|all|remotes|verbose|column|no-column|color|no-color|ignore-case|sort|format|contains|no-contains|merged|no-merged|points-at|abbrev|no-abbrev)(?:=.*)?|-n\d*)$/;

/** `git branch` and `git tag` list when every option lists, and no name follows unless a listing option allows patterns. */
function looksOnly(words: readonly Word[]): boolean {
  const options = words.filter(({ text }) => text.startsWith("-"));
  if (!options.every(({ text }) => LISTING.test(text))) return false;
  const names = words.filter(({ text }) => !text.startsWith("-"));
  return (
    names.length === 0 ||
    options.some(({ text }) =>
      /^(?:-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at|--sort|--format)/.test(text),
    )
  );
}

/** Operands that name files count as read: `.env`, `HEAD:.env`, `:(top).env`. Options may not come from unknown words. */
function revisionEffects(given: Arguments): readonly Effect[] {
  const outside = given.options.some(({ name }) => name === "--no-index");
  return given.operands.flatMap((operand): readonly Effect[] => {
    const { text } = operand;
    if (text.startsWith(UNKNOWN))
      return [doubt("operand-unknown", "a word that may be an option is only known at run time")];
    const path = /^[^:]*:(?:\([^)]*\)|\/)?(.+)$/.exec(text)?.[1] ?? text;
    if (/[~^]\d*$|\.\.|@\{/.test(path) && !/^\.\.?(?:\/|$)/.test(path) && !path.includes("/../")) return [];
    return [{ kind: outside || !text.startsWith(":") ? "read" : "guess", word: { ...operand, text: path } }];
  });
}

/** Paths that git takes from a revision or the index are written. */
function pathEffects(given: Arguments, from: string): readonly Effect[] {
  const foreign = given.options.some(({ name }) => from.split(" ").includes(name));
  const paths = revisionEffects(given).flatMap((effect): readonly Effect[] =>
    effect.kind === "read" || effect.kind === "guess" ? [effect, { kind: "write", word: effect.word }] : [effect],
  );
  const all = given.operands.length > (foreign ? 0 : 1) && given.operands.some(({ text }) => holdsProtected(text));
  return [
    { kind: "repository" },
    ...paths,
    ...(all ? [doubt("git-restores", "it takes a whole tree from another revision, with settings in it")] : []),
  ];
}

/** A remote given as a URL or path is judged; forcing is destruction. */
function remoteEffects(given: Arguments): readonly Effect[] {
  const [remote] = given.operands;
  const effects: Effect[] = [{ kind: "repository" }, { kind: "network", word: undefined }];
  if (remote === undefined) return effects;
  if (/::|^-|:\/\/-/.test(remote.text))
    effects.push(doubt("git-transport", "this address makes git run a command", "deny"));
  else if (/:\/\/|^[\w.-]+@|^[\w.-]+:(?!\/\/)/.test(remote.text)) effects.push({ kind: "network", word: remote });
  else if (remote.text.includes(UNKNOWN))
    effects.push(doubt("operand-unknown", "the remote is only known at run time"));
  else if (/^[./~]/.test(remote.text)) effects.push({ kind: "read", word: remote });
  for (const name of given.operands.slice(1)) {
    if (/^\+|^:/.test(name.text)) effects.push(doubt("git-force", "it overwrites or removes a branch of the remote"));
    else if (/^[./~]|^\w[\w-]*\/\.\./.test(name.text)) effects.push({ kind: "write", word: name });
  }
  if (
    given.strange.some(({ text }) =>
      /^(?:-[a-z]*[fd][a-z]*|--(?:force|mirror|delete|prune|force-with-lease).*)$/.test(text),
    )
  )
    effects.push(doubt("git-force", "it overwrites or removes a branch of the remote"));
  return effects;
}
