import { rules } from "./preset.ts";

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
