import { rules } from "./preset.ts";

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
