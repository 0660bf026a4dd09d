import type { NetworkLists, PathLists, Policy, Rule } from "../../contract/policy.ts";
import type { Verdict } from "../../contract/verdict.ts";

/** A policy not yet bound to a workspace. */
export interface Preset extends Pick<Policy, "id" | "rules" | "tools" | "fallback" | "interactive" | "sandbox"> {
  readonly paths: PathLists;
  readonly network: NetworkLists;
}

export const NO_TOOL_LISTS = { allow: [], deny: [], ask: [], otherwise: undefined } as const;

/**
 * Rules with the same verdict and reason. Each line is a program, then its subcommands or options, separated by commas.
 */
export function rules(
  id: string,
  verdict: Verdict,
  {
    because,
    lines,
    exact = false,
    unless,
    contained,
  }: {
    readonly because: string;
    readonly lines: readonly string[];
    readonly exact?: boolean;
    readonly unless?: Rule["unless"];
    readonly contained?: false;
  },
): readonly Rule[] {
  return lines.map((line, index) => ({
    id: lines.length === 1 ? id : `${id}.${index + 1}`,
    source: "preset",
    verdict,
    argv: line.split(" ").map(token),
    exact,
    because,
    ...(unless === undefined ? {} : { unless }),
    ...(contained === undefined ? {} : { contained }),
  }));
}

function token(text: string): string | readonly string[] {
  return text.includes(",") ? text.split(",") : text;
}

/** Commands that read the workspace and change nothing. Options that do more appear as effects. */
export const READING = [
  ...rules("look-at-files", "allow", {
    because: "reads files and prints",
    lines: [
      "ls,cat,less,head,tail,wc,nl,tac,rev,fold,fmt,od,xxd,hexdump,strings,stat,file,du,df,tree,column,cut,paste,join,tr,comm,cmp,diff,sha256sum,sha1sum,md5sum,shasum,cksum,base64,expand,unexpand,zcat",
      "grep,egrep,fgrep,rg,find,fd,jq",
      "basename,dirname,realpath,readlink,which,whereis,date,pwd,whoami,uname,id,hostname,nproc,uptime,seq,expr,true,false,echo,printf,sleep,test,[,[[,man,help,locale,arch,free",
      "tar tf,-tf,tvf,-tvf,tzf,-tzf,tjf,--list,-t",
      "unzip -l,-t,-v",
      "php -l",
    ],
  }),
  ...rules("work-on-text", "allow", {
    because: "reads files and prints, or edits the named files",
    lines: ["sed,awk,gawk,mawk,yq,sort,uniq"],
  }),
  // Whole commands, matched exactly: with one more word, most of these programs run or build whatever it names.
  ...rules("look-at-version", "allow", {
    because: "prints a version or a help text",
    exact: true,
    lines: [
      "node,npm,pnpm,yarn,deno,bun,npx,tsc,docker,gh,git --version,-v,--help,-h",
      "python,python3,perl,php,ruby --version,-V,--help,-h",
      "ruby,perl,php -v",
      "java,javac -version,--version,--help,-help",
      "cargo,rustc,rustup --version,-V,-vV,--help,-h",
      "gcc,g++,clang,cc,make,cmake --version,--help",
      "gcc,g++,clang,cc,make -v",
      "go,npm,docker,kubectl,git,gh,terraform,helm,cargo version",
      "go,npm,cargo,git,gh,docker,kubectl help",
      "kubectl version --client",
      "npx,pip,pip3,uv,poetry,ruff,mypy,black,eslint,prettier,vitest,jest,terraform,helm,gem,composer,psql,jq,curl,claude,codex,gemini,copilot,opencode,brew,pre-commit,django-admin --version,-V",
    ],
  }),
  ...rules("look-at-one-value", "allow", {
    because: "prints one value",
    exact: true,
    lines: [
      "git config user.name,user.email,core.editor,core.hooksPath,core.autocrlf,core.pager,init.defaultBranch,remote.origin.url,pull.rebase,push.default,commit.gpgsign,branch.main.remote",
      "git symbolic-ref HEAD,refs/remotes/origin/HEAD",
      "git symbolic-ref --short,-q HEAD,refs/remotes/origin/HEAD",
    ],
  }),
  ...rules("look-at-git", "allow", {
    because: "reads the repository and writes at most the named file",
    lines: [
      "git status,diff,log,show,blame,annotate,grep,ls-files,ls-tree,rev-parse,rev-list,describe,shortlog,merge-base,cat-file,name-rev,reflog,show-ref,for-each-ref,check-ignore,diff-tree,cherry,range-diff,count-objects,var,help,whatchanged",
      "git tag --list,-l,-n",
      "git stash list,show",
      "git remote -v,get-url,--verbose",
      "git worktree list",
      "git config --get,--list,-l,get,list,--get-all,--get-regexp",
    ],
  }),
  // With more arguments these change the repository. That appears as an effect, which read-only denies.
  ...rules("look-at-names", "allow", {
    because: "changes branch names without losing commits",
    lines: ["git branch"],
  }),
  ...rules("look-at-remotes", "allow", { because: "lists the remotes", exact: true, lines: ["git remote"] }),
  ...rules("look-before-cleaning", "allow", {
    because: "only prints what would be removed",
    lines: ["git clean -n,-nd,-dn,-ndx,-ndX,-nx,-nX,--dry-run"],
  }),
] as const;

/**
 * What leaves, sends, destroys, persists or escalates. `unless` names what makes a rule needless inside a sandbox; what
 * such a command does there is judged by its effects.
 */
export const STOPPING = [
  ...rules("publish", "ask", {
    because: "sends data off this machine",
    lines: [
      "git push",
      "npm,pnpm,yarn,cargo,poetry,twine publish,upload,login,deprecate,unpublish",
      "gh pr,issue,release,gist,repo create,merge,close,comment,edit,delete,upload,review",
      "docker push,login",
      "terraform,tofu apply,destroy,import",
      "kubectl apply,delete,create,edit,patch,exec,cp,scale,rollout",
    ],
  }),
  ...rules("install", "ask", {
    because: "downloads code and may run it",
    unless: ["disk", "secrets", "network"],
    lines: [
      "npm,pnpm,yarn,bun install,i,add,update,upgrade,link,x,exec,dlx,create,init",
      "pip,pip3,pipx,uv,poetry,gem,brew,apt,apt-get,dnf,yum,apk,pacman,snap,cargo,go,composer install,add,get,update,upgrade,require,remove,uninstall",
    ],
  }),
  ...rules("destroy", "ask", {
    because: "can discard work that git cannot restore",
    unless: ["recoverable"],
    lines: [
      "git reset --hard,--h,--ha,--har,--merge,--m,--me,--mer,--merg,--keep,--k,--ke,--kee",
      "git clean -f",
      "git clean --force",
      "git switch -f",
      "git switch --force",
      "git switch --discard-changes",
      "git checkout -f",
      "git checkout --force",
      "git rm -f",
      "git rm --force",
      "git mv -f",
      "git mv --force",
    ],
  }),
  ...rules("empty-files", "ask", {
    because: "truncates files",
    // Inside, each file that it names is looked at.
    unless: ["disk"],
    lines: ["truncate"],
  }),
  ...rules("remove-worktree", "ask", {
    because: "removes a worktree",
    lines: ["git worktree remove"],
  }),
  ...rules("rewrite-history", "ask", {
    because: "moves or deletes a branch, a tag, a stash or their reflog",
    lines: [
      "git stash drop,clear",
      "git branch -D",
      "git branch -f",
      "git branch --force",
      "git branch -M",
      "git branch -C",
      "git tag -f",
      "git tag --force",
      "git switch -C",
      "git switch --force-create",
      "git checkout -B",
      "git worktree add -B",
      "git filter-branch",
      "git reflog expire,delete",
      "git update-ref -d",
      "git gc --prune",
      "git prune",
    ],
  }),
  ...rules("overwrite-remote", "ask", {
    because: "overwrites a remote branch",
    lines: ["git push --force", "git push -f"],
  }),
  ...rules("skip-checks", "ask", {
    because: "skips the repository's commit checks",
    lines: [
      "git commit --no-verify",
      "git commit -n",
      "git merge --no-verify",
      "git push --no-verify",
      "git cherry-pick --no-verify",
      "git revert --no-verify",
      "git pull --no-verify",
      "git am --no-verify",
    ],
  }),
  ...rules("destroy-containers", "ask", {
    because: "stops or removes containers, images or volumes",
    lines: ["docker rm,rmi,system,volume,stop,kill"],
  }),
  ...rules("stop-processes", "ask", {
    because: "kills processes",
    unless: ["processes"],
    lines: ["kill", "pkill", "killall"],
  }),
  ...rules("escalate", "deny", {
    because: "needs root or another user's rights",
    lines: ["sudo", "su", "doas", "pkexec"],
  }),
  ...rules("persist", "deny", {
    because: "installs something that runs later",
    lines: ["crontab", "at", "batch", "systemctl", "launchctl", "chattr"],
  }),
  ...rules("raw-network", "deny", {
    because: "opens connections that the guard cannot check",
    unless: ["network"],
    lines: ["nc", "ncat", "netcat", "socat", "telnet"],
  }),
  ...rules("machine", "deny", {
    because: "can destroy data on this machine",
    lines: ["mkfs", "shutdown", "reboot", "fdisk", "wipefs"],
  }),
  ...rules("copy-devices", "deny", {
    because: "can destroy data on this machine",
    unless: ["disk", "secrets"],
    lines: ["dd"],
  }),
];
