/** Paths that no file of a workspace can open: secrets of the user and of other processes. */
export const FLOOR_DENY_READ: readonly string[] = [
  "~/.ssh/**", "!~/.ssh/known_hosts", "!~/.ssh/*.pub", "~/.gnupg/**", "~/.aws/**", "~/.azure/**", "~/.config/gcloud/**", "~/.config/gh/**",
  "~/.kube/**", "~/.netrc", "~/.git-credentials", "~/.docker/config.json", "~/.pypirc", "~/.password-store/**",
  "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d/**", "/proc/*/environ", "/proc/*/mem", "/proc/*/task/*/environ",
  "/run/secrets/**", "/var/run/secrets/**",
];

/** Paths whose change would loosen the guard or outlive the session: settings of agents, start files, hooks, CI, our own records. */
export const FLOOR_DENY_WRITE: readonly string[] = [
  ".git/**", "**/.git/hooks/**", "**/.git/config", ".github/workflows/**", ".github/actions/**", ".gitlab-ci.yml", ".circleci/**",
  "**/.gitmodules", ".husky/**", ".claude/**", ".codex/**", ".gemini/**", ".cursor/**", ".opencode/**", ".amplifier/**", ".copilot/**",
  ".github/copilot/**", ".github/hooks/**", ".vscode/settings.json", ".vscode/tasks.json", ".vscode/mcp.json", ".mcp.json",
  ".signalbox/**", ".agent-policy/**", "~/.signalbox/**", "~/.claude/**", "~/.claude.json", "~/.codex/**", "~/.copilot/**", "~/.gemini/**",
  "~/.cursor/**", "~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.profile", "~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.zlogin",
  "~/.config/**", "~/.ssh/**", "~/.gnupg/**", "~/.gitconfig", "~/.npmrc", "~/.local/bin/**", "~/bin/**", "~/Library/LaunchAgents/**",
  "/etc/**", "/usr/**", "/bin/**", "/sbin/**", "/lib/**", "/boot/**", "/var/spool/cron/**", "/dev/tcp/**", "/dev/udp/**", "/proc/**", "/sys/**",
];
