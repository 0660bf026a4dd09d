/** On macOS. */
const support = (names: string, below = "") =>
  names.split(", ").map((name) => `~/Library/Application Support/${name}${below}/**`);

const BROWSERS = support(
  "Google/Chrome*, Chromium, BraveSoftware, Microsoft Edge*, Firefox, Arc, Vivaldi, com.operasoftware.*",
);

const EDITORS = support("Code*, VSCodium, Cursor, Windsurf", "/User");

/** Paths that no workspace file can open: secrets of the user and of other processes. */
export const FLOOR_DENY_READ: readonly string[] = [
  ...words(`
    ~/.ssh/** !~/.ssh/known_hosts !~/.ssh/*.pub ~/.gnupg/** ~/.aws/** ~/.azure/** ~/.config/gcloud/**
    ~/.config/gh/** ~/.kube/** ~/.netrc ~/.git-credentials ~/.docker/config.json ~/.pypirc ~/.password-store/**
    ~/.local/share/uv/credentials/** ~/.dotnet/corefx/cryptography/** ~/.npm-global/etc/npmrc
    ~/.npm-packages/etc/npmrc /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d/**
    ~/.signalbox/launches/** ~/.signalbox/keys/** ~/.signalbox/mcp-auth/** /proc/*/environ /proc/*/mem
    /proc/*/task/*/environ /run/secrets/** /var/run/secrets/** ~/.mozilla/** ~/.thunderbird/**
    ~/.config/google-chrome/** ~/.config/chromium/** ~/.config/BraveSoftware/** ~/.config/microsoft-edge/**
    ~/snap/firefox/** ~/.local/share/keyrings/** ~/Library/Keychains/** /Library/Keychains/** ~/Library/Cookies/**
    ~/Library/Safari/** ~/Library/Containers/com.apple.Safari/**
  `),
  ...BROWSERS,
];

/** Files that agents read as instructions. A person approves every change. */
export const FLOOR_ASK_WRITE: readonly string[] = anywhere(`
  AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md WARP.md .cursorrules
  .windsurfrules .clinerules .roorules* .goosehints .augment-guidelines .junie/** .trae/rules/** .rules .agents/**
  .agent/rules/** .agent/workflows/** copilot-instructions.md .github/instructions/** .github/prompts/**
  .github/agents/** .github/chatmodes/** .github/skills/**
`);

/** Run by a CI service once the repository is pushed to it. */
const CONTINUOUS_INTEGRATION: readonly string[] = [
  ".github/workflows/**",
  ".github/actions/**",
  ".gitlab-ci.yml",
  ".circleci/**",
  ...anywhere(`
    .gitlab-ci.yml .gitlab/ci/** Jenkinsfile* azure-pipelines* .azure-pipelines/** .travis.yml
    bitbucket-pipelines.yml .drone.yml .drone.star .drone.jsonnet .buildkite/** appveyor.yml .appveyor.yml
    .woodpecker.yml .woodpecker.yaml .woodpecker/** .cirrus.yml .cirrus.star .semaphore/** .teamcity/**
    .forgejo/workflows/** .gitea/workflows/** wercker.yml codefresh.yml .codefresh/** cloudbuild.yaml cloudbuild.yml
    buildspec.yml .tekton/** .harness/** .builds/** .build.yml .ci.yml .concourse.yml bamboo-specs/** codemagic.yaml
    bitrise.yml .zuul.yaml .zuul.d/** zuul.yaml zuul.d/** screwdriver.yaml .vela.yml .vela.yaml netlify.toml
  `),
];

/** Run automatically by git, a shell, a package manager or an editor. */
const RUNS_BY_ITSELF: readonly string[] = [
  ...anywhere(`
    .git .gitmodules .gitconfig .husky/** .huskyrc* lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml
    lefthook-local.yml lefthook-local.yaml .lefthook-local.yml .lefthook-local.yaml lefthook.json lefthook.toml
    .lefthook/** .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml .overcommit.yml .git-hooks/**
    .githooks/** githooks/** git-hooks/** .hooks/** hk.pkl .hk.pkl hk.local.pkl prek.toml .prek.toml grumphp.yml
    grumphp.yml.dist grumphp.yaml .simple-git-hooks* simple-git-hooks* captainhook.json .cargo-husky/** .envrc
    .autoenv* .npmrc .yarnrc .yarnrc.yml .yarn/plugins/** .yarn/releases/** .pnpmfile.cjs .pnpmfile.mjs bunfig.toml
    pip.conf pip.ini .pypirc .cargo/config .cargo/config.toml .vscode/settings.json .vscode/tasks.json
    .vscode/launch.json .vscode/mcp.json *.code-workspace .idea/runConfigurations/** .idea/workspace.xml
    .idea/tools/** .idea/watcherTasks.xml .idea/externalTools.xml .idea/startup.xml .helix/config.toml
    .helix/languages.toml .vs/tasks.vs.json .vs/launch.vs.json .run/*.run.xml .zed/settings.json .zed/tasks.json
    .zed/debug.json .fleet/** .nova/Tasks/** *.sublime-project .exrc .nvimrc .nvim.lua .vimrc .lvimrc .lazy.lua
    .dir-locals.el .hg/hgrc .hg/hgrc-not-shared .jj/repo/config.toml .Rprofile .irbrc .pryrc .pdbrc .gdbinit
    .lldbinit .devcontainer/** .devcontainer.json .gitpod.yml .gitpod.Dockerfile .replit .idx/** .codesandbox/**
  `),
];

/** Agent settings: what agents may do, and which servers and commands they start. In any folder. */
const AGENT_SETTINGS: readonly string[] = [
  ...anywhere(`
    .qwen/** .factory/** .crush/** .crush.json crush.json .kilocode/** .augment/** .openhands/** .roomodes
    .claude-plugin/**
  `),
  ...here(`
    .claude/** .codex/** .gemini/** .cursor/** .opencode/** .amplifier/** .continue/** .windsurf/** .roo/** .kiro/**
    .amazonq/** .copilot/** .github/copilot/** .github/hooks/** .mcp.json opencode.json opencode.jsonc .opencode.json
    .aider.conf.yml
  `),
];

function anywhere(globs: string): readonly string[] {
  return words(globs).map((glob) => `**/${glob}`);
}

/** In the workspace's own folder, where it is protected also while nothing is there, and in others. */
function here(globs: string): readonly string[] {
  return [...words(globs), ...anywhere(globs)];
}

function words(globs: string): readonly string[] {
  return globs.trim().split(/\s+/);
}

/**
 * Paths whose change would loosen the guard or outlive the session: agent settings, startup files, hooks, CI, our own
 * records.
 */
export const FLOOR_DENY_WRITE: readonly string[] = [
  ".git/**",
  ...CONTINUOUS_INTEGRATION,
  ...RUNS_BY_ITSELF,
  ...AGENT_SETTINGS,
  ...words(`
    .vscode/settings.json .vscode/tasks.json .vscode/mcp.json .zed/settings.json .zed/tasks.json **/.git/hooks/**
    **/.git/config .husky/** .signalbox/** .agent-policy/** ~/.signalbox/** ~/.claude/** ~/.claude.json ~/.codex/**
    ~/.copilot/** ~/.gemini/** ~/.cursor/** ~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.profile
    ~/.zshrc ~/.zshenv ~/.zprofile ~/.zlogin ~/.config/** ~/.ssh/** ~/.gnupg/** ~/.gitconfig ~/.npmrc
    ~/.local/bin/** ~/bin/** ~/.zlogout ~/.zsh_aliases ~/.bash_aliases ~/.inputrc ~/.xprofile ~/.xinitrc ~/.vim/**
    ~/.cargo/bin/** ~/.cargo/env ~/go/bin/** ~/Library/LaunchAgents/** ~/Library/Keychains/**
    ~/Library/Preferences/**
  `),
  ...EDITORS,
  ...words(`
    /Library/LaunchAgents/** /Library/LaunchDaemons/** /System/** /private/etc/** /etc/** /usr/** /bin/** /sbin/**
    /lib/** /boot/** /var/spool/cron/** /dev/** !/dev/shm/** !/dev/fd/** !/dev/pts/** /dev/tcp/** /dev/udp/**
    /proc/** /sys/**
  `),
];
