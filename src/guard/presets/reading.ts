import { rules } from "./preset.ts";

/** Commands that look at the workspace and change nothing. Their options that do more surface as effects. */
export const READING = [
  ...rules("look-at-files", "allow", {
    because: "it reads files and prints",
    lines: [
      "ls,cat,less,head,tail,wc,nl,tac,rev,fold,fmt,od,xxd,hexdump,strings,stat,file,du,df,tree,column,cut,paste,join,tr,uniq,sort,comm,cmp,diff,sha256sum,sha1sum,md5sum,shasum,cksum,base64,expand,unexpand,zcat",
      "grep,egrep,fgrep,rg,find,fd,sed,awk,gawk,mawk,jq,yq",
      "basename,dirname,realpath,readlink,which,whereis,date,pwd,whoami,uname,id,hostname,nproc,uptime,seq,expr,true,false,echo,printf,sleep,test,[,[[,man,help,locale,arch,free",
      "tar tf,-tf,tvf,-tvf,tzf,-tzf,tjf,--list,-t",
      "unzip -l,-t,-v",
      "node,python,python3,ruby,perl,php,java,npm,pnpm,yarn,cargo,rustc,go,gcc,clang,make,docker,kubectl,git,gh,tsc,deno,bun --version,-v,-V,version,--help",
      "php -l",
    ],
  }),
  ...rules("look-at-one-value", "allow", {
    because: "it prints one value",
    exact: true,
    lines: [
      "git config user.name,user.email,core.editor,core.hooksPath,core.autocrlf,core.pager,init.defaultBranch,remote.origin.url,pull.rebase,push.default,commit.gpgsign,branch.main.remote",
      "npx,pip,pip3,uv,poetry,pytest,ruff,mypy,black,eslint,prettier,vitest,jest,cmake,mvn,gradle,./gradlew,dotnet,terraform,helm,rustup,bundle,gem,composer,swift,sbt,bazel,javac,psql,jq,curl,claude,codex,gemini,copilot,opencode,brew,mise,pre-commit --version,-V,version",
      "git symbolic-ref HEAD,refs/remotes/origin/HEAD",
      "git symbolic-ref --short,-q HEAD,refs/remotes/origin/HEAD",
    ],
  }),
  ...rules("look-at-git", "allow", {
    because: "it reads the repository",
    lines: [
      "git status,diff,log,show,blame,annotate,grep,ls-files,ls-tree,rev-parse,rev-list,describe,shortlog,merge-base,cat-file,name-rev,reflog,show-ref,for-each-ref,check-ignore,diff-tree,cherry,range-diff,count-objects,var,version,help,whatchanged",
      "git branch",
      "git tag --list,-l,-n",
      "git stash list,show",
      "git remote -v,show,get-url,--verbose",
      "git worktree list",
      "git config --get,--list,-l,get,list,--get-all,--get-regexp",
    ],
  }),
] as const;
