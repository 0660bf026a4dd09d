import { NO_TOOL_LISTS, type Preset, rules } from "./preset.ts";
import { READING } from "./reading.ts";

const NODE_TOOLS = "tsc eslint prettier vitest jest mocha oxlint oxfmt biome esbuild vite turbo nx stylelint".split(
  " ",
);

/** Work inside the workspace: files, the local repository, the project's own scripts and tools. */
export const WORKING = [
  ...rules("change-files", "allow", {
    because: "it changes files of the workspace",
    lines: [
      "mkdir,touch,cp,mv,tee,ln,truncate,mktemp,rmdir,gzip,gunzip,zip,split,install",
      "tar -czf,czf,-cf,cf,-cvf,cvf,-czvf,czvf,-c",
      "chmod +x,u+x,644,755,-x,a+x,+r,600,640",
    ],
  }),
  ...rules("clean-build-output", "allow", {
    because: "it removes what a build makes again",
    exact: true,
    lines: [
      "rm -rf,-r,-fr,-f,-R dist,build,out,coverage,target,node_modules,.next,.nuxt,.turbo,.cache,__pycache__,.pytest_cache,.mypy_cache,.ruff_cache,tmp,dist/,build/,coverage/,node_modules/",
    ],
  }),
  ...rules("work-with-git", "allow", {
    because: "it works on the local repository, and git can take it back",
    lines: [
      "git add,commit,checkout,switch,restore,stash,fetch,merge,cherry-pick,revert,mv,rm,init,notes,bisect,pull,tag,worktree,apply,am,format-patch,archive,fsck,gc,reset",
    ],
  }),
  ...rules("run-scripts", "allow", {
    because: "it runs the project's own scripts",
    lines: [
      "npm test,t,run,run-script,start,ls,list,outdated,ci,audit,explain,why,pack,view,info,prune,dedupe,version",
      "pnpm test,run,build,lint,ls,list,outdated,why,start,typecheck,format,check",
      "yarn test,run,build,lint,list,outdated,why,start,typecheck,format,check",
      "bun test,run",
      "node --test",
      "npx tsc,eslint,prettier,vitest,jest,mocha,oxlint,oxfmt,biome,knip,playwright,cypress,esbuild,vite,rollup,webpack,turbo,nx,svelte-check,vue-tsc,stylelint,madge,depcheck,size-limit,c8,nyc",
      NODE_TOOLS.join(","),
      NODE_TOOLS.flatMap((name) => [`node_modules/.bin/${name}`, `./node_modules/.bin/${name}`]).join(","),
      "deno test,lint,fmt,check",
      "pre-commit run",
      "sbt,cloc,tokei",
      "make,cmake,ctest,ninja,just,task,meson,bazel",
      "cargo build,test,check,clippy,fmt,run,doc,bench,tree,metadata,nextest,clean,b,t,c,r,fix",
      "go build,test,vet,run,fmt,list,doc,mod,env,version,generate,tool",
      "gofmt,goimports,golangci-lint,staticcheck,rustfmt,rustc,gcc,g++,clang,javac,java,kotlinc,swiftc",
      "pytest,py.test,ruff,mypy,black,isort,flake8,pylint,pyright,tox,nox,coverage,bandit",
      "python,python3 -m pytest,unittest,mypy,ruff,black,compileall,venv,json.tool,coverage,build,doctest",
      "poetry,pipenv,uv run,lock,sync,show,tree",
      "pip,pip3 list,show,freeze,check",
      "mvn,gradle,./gradlew,./mvnw,gradlew",
      "dotnet build,test,run,format,restore,clean,list",
      "bundle exec,list,check",
      "rake,rspec,rubocop,composer,phpunit,phpstan,swift,mix,rebar3,stack,cabal,dune,zig,shellcheck,shfmt,hadolint,yamllint,markdownlint,actionlint,ansible-lint",
    ],
  }),
  ...rules("look-around", "allow", {
    because: "it asks a service and changes nothing there",
    lines: [
      "gh pr,issue,run,release,repo,workflow view,list,status,diff,checks",
      "docker ps,images,logs,inspect,version,info",
      "docker compose ps,logs,config",
      "kubectl get,describe,logs,version,explain,top",
      "terraform,tofu plan,fmt,validate,show,output",
      "ps,top,lsof,netstat,ss,pgrep",
    ],
  }),
];

/** What leaves the machine, brings code in, destroys, escalates or persists. */
export const STOPPING = [
  ...rules("publish", "ask", {
    because: "it sends something out of this machine",
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
    because: "it fetches code and may run it",
    lines: [
      "npm,pnpm,yarn,bun install,i,add,update,upgrade,link,x,exec,dlx,create,init",
      "pip,pip3,pipx,uv,poetry,gem,brew,apt,apt-get,dnf,yum,apk,pacman,snap,cargo,go,composer install,add,get,update,upgrade,require,remove,uninstall",
    ],
  }),
  ...rules("destroy", "ask", {
    because: "it throws work away",
    lines: [
      "git reset --hard,--h,--ha,--har,--merge,--m,--me,--mer,--merg,--keep,--k,--ke,--kee",
      "git clean",
      "git push --force",
      "git push -f",
      "git branch -D",
      "git branch -d",
      "git stash drop,clear",
      "git checkout -f",
      "git rebase",
      "git filter-branch",
      "git reflog expire,delete",
      "git gc --prune",
      "git worktree remove",
      "docker rm,rmi,system,volume,stop,kill",
    ],
  }),
  ...rules("stop-processes", "ask", { because: "it stops processes", lines: ["kill", "pkill", "killall"] }),
  ...rules("escalate", "deny", {
    because: "it takes rights that the agent does not have",
    lines: ["sudo", "su", "doas", "pkexec"],
  }),
  ...rules("persist", "deny", {
    because: "it leaves something behind that runs later",
    lines: ["crontab", "at", "batch", "systemctl", "launchctl", "chattr"],
  }),
  ...rules("raw-network", "deny", {
    because: "it opens connections that nothing can judge",
    lines: ["nc", "ncat", "netcat", "socat", "telnet"],
  }),
  ...rules("machine", "deny", {
    because: "it can destroy the machine's data",
    lines: ["dd", "mkfs", "shutdown", "reboot", "fdisk", "wipefs"],
  }),
];

/** For a person at the keyboard: ordinary development passes, what leaves, destroys or persists is asked about or denied. */
export const DEFAULT_PRESET: Preset = {
  id: "default",
  rules: [...READING, ...WORKING, ...STOPPING],
  tools: NO_TOOL_LISTS,
  paths: {
    readRoots: [
      ".",
      "/tmp",
      "/usr",
      "/opt",
      "/etc/os-release",
      "/etc/hosts",
      "~/.cargo/registry",
      "~/go/pkg",
      "~/.npm/_logs",
      "~/.rustup",
    ],
    writeRoots: [".", "/tmp", "/dev/null"],
    denyRead: [
      "**/.env",
      "**/.env.*",
      "!**/.env.example",
      "!**/.env.sample",
      "!**/.env.template",
      "!**/.env.test",
      "**/*.pem",
      "**/*.p12",
      "**/*.pfx",
      "**/id_rsa*",
      "**/id_ed25519*",
      "**/id_ecdsa*",
      "~/.npmrc",
      "~/.config/**",
    ],
    denyWrite: [],
    outside: "ask",
    outsideForTools: "ask",
  },
  network: {
    mode: "allowlist",
    allow: ["localhost:*", "127.0.0.1:*", "github.com", "*.github.com", "*.githubusercontent.com"],
    deny: [],
    schemes: ["https", "http"],
    ports: [],
    blockPrivate: true,
    unlisted: "ask",
  },
  fallback: "ask",
  interactive: true,
  sandbox: "off",
};
