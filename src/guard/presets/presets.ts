import type { Rule } from "../../contract/policy.ts";
import { PLAIN_RECIPES, withOwnCommands } from "./own-commands.ts";
import { NO_TOOL_LISTS, type Preset, READING, rules, STOPPING } from "./shared-rules.ts";

/** Package registries, so that installs work inside a sandbox. */
const REGISTRIES =
  "@npm @node @deno @python @conda @rust @go @ruby @java @dotnet @php @elixir @haskell @dart @debian @ubuntu @alpine @playwright".split(
    " ",
  );

const NODE_TOOLS = "tsc eslint prettier vitest jest mocha oxlint oxfmt biome esbuild vite turbo nx stylelint".split(
  " ",
);

/**
 * Work inside the workspace: files, the local repository, the project's scripts and tools. Only needed where no sandbox
 * holds the command; inside, nothing needs a rule to run.
 */
const WORKING = [
  ...rules("change-files", "allow", {
    because: "changes workspace files",
    lines: [
      "mkdir,touch,cp,mv,tee,ln,mktemp,rmdir,gzip,gunzip,zip,split,install",
      "tar -czf,czf,-cf,cf,-cvf,cvf,-czvf,czvf,-c",
      "chmod +x,u+x,644,755,-x,a+x,+r,600,640",
    ],
  }),
  ...rules("clean-build-output", "allow", {
    because: "removes build output",
    exact: true,
    lines: [
      "rm -rf,-r,-fr,-f,-R dist,build,out,coverage,target,node_modules,.next,.nuxt,.turbo,.cache,__pycache__,.pytest_cache,.mypy_cache,.ruff_cache,tmp,dist/,build/,coverage/,node_modules/",
    ],
  }),
  ...rules("work-with-git", "allow", {
    because: "changes the local repository without losing work",
    lines: [
      "git add,commit,checkout,switch,restore,stash,merge,cherry-pick,revert,mv,rm,init,notes,bisect,tag,worktree,apply,am,format-patch,archive,fsck,gc,reset",
      "git rebase --continue",
    ],
  }),
  ...rules("fetch-with-git", "allow", {
    because: "contacts the repository's own remote",
    lines: ["git fetch,pull", "git remote show"],
  }),
  ...rules("run-scripts", "allow", {
    because: "runs the project's own scripts",
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
      "sbt,mvn,gradle,./gradlew,./mvnw,gradlew",
      "make,cmake,ctest,ninja,just,task",
      "meson setup,compile,test,configure,introspect",
      "bazel build,test,query,cquery,aquery,info,coverage,clean,version,help,fetch,run",
      "cargo build,test,check,clippy,fmt,run,doc,bench,tree,metadata,nextest,clean,b,t,c,r,fix",
      "go build,test,vet,run,fmt,list,doc,mod,env,version,generate,tool,clean",
      "poetry,pipenv,uv run,lock,sync,show,tree",
      "pip,pip3 list,show,freeze,check",
      "dotnet build,test,run,format,restore,clean,list",
      "bundle exec,list,check,show,info,outdated",
      "rake",
      "composer validate,show,info,outdated,why,depends,why-not,prohibits,licenses,diagnose,dump-autoload,dumpautoload,run-script,run,audit,status,check-platform-reqs,test,tests,lint,check,build,format,fix,cs,cs-fix,cs-check,stan,phpstan,psalm,analyse,analyze,phpunit,pest,pint,ci,qa",
      "swift build,test,run",
      "swift package describe,dump-package,show-dependencies,resolve,clean",
      "mix test,compile,format,credo,dialyzer,deps,deps.get,deps.tree,deps.compile,ecto.create,ecto.migrate,ecto.rollback,ecto.setup,ecto.migrations,phx.routes,phx.server,phx.digest,hex.outdated,hex.audit,clean,xref,help,docs,coveralls,sobelow,lint,check,assets.build,assets.setup,gettext.extract,run",
      "rebar3 compile,eunit,ct,proper,dialyzer,xref,tree,deps,clean,cover,fmt,lint,edoc,version,help",
      "stack build,test,bench,haddock,clean,path,ls,dot,query,run",
      "cabal build,test,bench,check,clean,configure,freeze,haddock,outdated,list-bin,run,v2-build,v2-test",
      "dune build,test,runtest,fmt,clean,describe,show,rules,promote,exec",
      "zig build,test,run,fmt,build-exe,build-lib,build-obj,ast-check,version,env,targets",
    ],
  }),
  ...rules("run-tools", "allow", {
    because: "checks, formats or compiles workspace files",
    lines: [
      "gofmt,goimports,staticcheck,rustfmt,rustc,gcc,g++,clang,javac,java,kotlinc,swiftc",
      "golangci-lint run,fmt,linters,formatters,config,version,help,cache",
      "pytest,py.test,ruff,mypy,black,isort,flake8,pylint,pyright,tox,nox,bandit",
      "coverage run,report,html,xml,json,lcov,combine,erase,annotate,debug",
      "python,python3 -m pytest,unittest,mypy,ruff,black,compileall,venv,json.tool,coverage,build,doctest",
      "rspec,rubocop,phpunit,phpstan,shellcheck,shfmt,hadolint,yamllint,markdownlint,actionlint,ansible-lint,cloc,tokei",
    ],
  }),
  // These load workspace settings even to print their version.
  ...rules("print-version", "allow", {
    because: "prints a version",
    exact: true,
    lines: [
      "pytest,mvn,gradle,sbt,bazel,bundle,mise,dotnet,swift,golangci-lint,tox,nox,coverage,stack,cabal,dune,mix,rebar3 --version,-V,version",
    ],
  }),
  ...rules("look-around", "allow", {
    because: "looks at processes and plans without changing anything",
    lines: ["terraform,tofu plan,fmt,validate,show,output", "ps,top,lsof,netstat,ss,pgrep"],
  }),
];

/** Questions to services that need the user's own login or socket, so that they run outside a sandbox. */
const LOOKING_OUTSIDE = rules("look-at-services", "allow", {
  because: "queries a service without changing anything",
  contained: false,
  lines: [
    "gh pr,issue,run,release,repo,workflow view,list,status,diff,checks",
    "docker ps,images,logs,inspect,info",
    // Not `config`: it prints variables and files of the user that a compose file in the workspace names.
    "docker compose ps,logs",
    "kubectl get,describe,logs,explain,top",
  ],
});

/**
 * For a person at the keyboard: allows ordinary development; asks about or denies what leaves the machine, destroys or
 * persists.
 */
const DEFAULT_PRESET: Preset = {
  id: "default",
  rules: [...READING, ...WORKING, ...LOOKING_OUTSIDE, ...STOPPING],
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
    // A group names hosts, not rights: what these accept can be sent there.
    allow: ["localhost:*", "127.0.0.1:*", ...REGISTRIES, "@github", "@gitlab", "@bitbucket"],
    deny: [],
    schemes: ["https", "http"],
    ports: [],
    blockPrivate: true,
    unlisted: "ask",
  },
  fallback: "ask",
  interactive: true,
  sandbox: "auto",
};

const NO_NETWORK = { ...DEFAULT_PRESET.network, mode: "none", allow: [], unlisted: "deny" } as const;

/**
 * For when there is nobody to ask: anything not allowed is denied, and nothing runs outside the sandbox. No host is
 * listed. Without a sandbox, a command that a rule names may still use the project's registry and remotes, as `npm ci`
 * does.
 */
const CI_PRESET: Preset = {
  ...DEFAULT_PRESET,
  id: "ci",
  rules: [
    ...READING,
    ...WORKING,
    ...LOOKING_OUTSIDE.map((rule): Rule => ({ ...rule, contained: undefined })),
    ...STOPPING,
  ],
  paths: { ...DEFAULT_PRESET.paths, outside: "deny", outsideForTools: "deny" },
  network: { ...NO_NETWORK, mode: "allowlist" },
  fallback: "deny",
  interactive: false,
  sandbox: "workspace",
};

/**
 * Read-only: no file changes, no network. In a sandbox any program may run, because the workspace is read-only there;
 * without one, no program of the workspace does.
 */
const READ_ONLY_PRESET: Preset = {
  ...CI_PRESET,
  id: "read-only",
  rules: [...READING, ...STOPPING],
  network: NO_NETWORK,
  sandbox: "auto",
  paths: { ...CI_PRESET.paths, writeRoots: ["/dev/null"], denyWrite: ["**"] },
};

/** No grants at all, except to look at what signalbox itself says; the floors still apply. */
const NO_PRESET: Preset = {
  ...DEFAULT_PRESET,
  id: "none",
  rules: [],
  tools: NO_TOOL_LISTS,
  paths: { ...DEFAULT_PRESET.paths, readRoots: ["."], writeRoots: ["."], denyRead: [] },
  network: { ...NO_NETWORK, allow: [] },
};

const WITH_RECIPES: Preset = { ...DEFAULT_PRESET, rules: [...DEFAULT_PRESET.rules, ...PLAIN_RECIPES] };

export const PRESETS = {
  default: withOwnCommands(WITH_RECIPES, true),
  "read-only": withOwnCommands(READ_ONLY_PRESET, false),
  ci: withOwnCommands(CI_PRESET, true),
  none: withOwnCommands(NO_PRESET, false),
} as const;

export type PresetName = keyof typeof PRESETS;

/** From most open to strictest. A workspace file may only move to the right. */
export const PRESET_STRICTNESS: readonly PresetName[] = ["default", "ci", "read-only", "none"];
