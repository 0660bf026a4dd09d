import { type Effect, outside } from "../model/effect.ts";
import type { Word } from "../model/word.ts";

/** Programs that need something no sandbox can give, and the subcommands that need it; without any, all of them. */
const NEEDS: readonly (readonly [target: string, programs: string, subcommands?: string])[] = [
  [
    "the container engine",
    "docker docker-compose podman podman-compose nerdctl buildah ctr crictl minikube kind k3d colima limactl vagrant multipass",
  ],
  ["your GitHub login", "gh hub"],
  ["your GitLab login", "glab"],
  ["your cluster's credentials", "kubectl oc k9s kubectx kubens argocd flux istioctl"],
  ["your cluster's credentials", "helm", "install upgrade uninstall list ls status rollback get history test"],
  ["your cluster's credentials", "skaffold", "run dev deploy delete"],
  ["your cloud credentials", "aws gcloud gsutil bq az doctl linode-cli hcloud ibmcloud oci eksctl"],
  ["your cloud credentials", "cdk sam serverless sls amplify", "deploy destroy bootstrap diff remove push publish"],
  ["your cloud credentials", "terraform tofu pulumi terragrunt", "apply destroy import up refresh login"],
  [
    "your login at the hosting service",
    "vercel netlify heroku fly flyctl firebase wrangler railway render surge supabase",
    "deploy login logout publish env link secret secrets domains logs whoami up rollback",
  ],
  ["a tunnel to the internet", "ngrok cloudflared localtunnel lt"],
  ["your ssh keys", "ssh scp sftp mosh ssh-copy-id ssh-add autossh sshfs"],
  ["your desktop", "code cursor subl idea pycharm webstorm zed gnome-open kde-open wslview"],
  ["a device", "adb fastboot esptool esptool.py avrdude openocd st-flash dfu-util picotool"],
  ["your mail", "mail sendmail mutt msmtp"],
  [
    "the system's packages",
    "apt apt-get aptitude dnf yum apk pacman zypper snap brew port flatpak emerge nix-env",
    "install add remove uninstall purge upgrade dist-upgrade full-upgrade update autoremove reinstall tap untap link unlink refresh clean autoclean -S -Sy -Syu -R -Rs -U",
  ],
  [
    "your npm login",
    "npm pnpm yarn bun",
    "publish unpublish deprecate login adduser logout owner access token dist-tag star whoami",
  ],
  ["your registry login", "cargo", "publish yank login logout owner"],
  ["your registry login", "poetry flit hatch uv", "publish"],
  ["your registry login", "twine", "upload register"],
  ["your registry login", "gem", "push yank signin signout owner"],
  ["your registry login", "mvn ./mvnw gradle ./gradlew", "deploy publish release:perform"],
];

interface Needing {
  readonly target: string;
  readonly subcommands: ReadonlySet<string> | undefined;
}

const BY_PROGRAM: ReadonlyMap<string, readonly Needing[]> = byProgram();

function byProgram(): ReadonlyMap<string, readonly Needing[]> {
  const all = new Map<string, Needing[]>();
  for (const [target, programs, subcommands] of NEEDS)
    for (const name of programs.split(" ")) {
      const known = all.get(name) ?? [];
      known.push({ target, subcommands: subcommands === undefined ? undefined : new Set(subcommands.split(" ")) });
      all.set(name, known);
    }
  return all;
}

/** Effects that count only in a sandbox: what the program needs from outside. */
export function outsideEffects(name: string, words: readonly Word[]): readonly Effect[] {
  const needing = BY_PROGRAM.get(name);
  if (needing === undefined) return [];
  const rest = words.slice(1).map(({ text }) => text);
  const asksOnly = rest.length === 1 && /^(?:--version|-v|-V|-h|help|version)$/.test(rest[0] ?? "");
  if (asksOnly || rest.includes("--help")) return [];
  const first = rest.find((text) => !/^--?[a-z]/.test(text));
  const found = needing.find(
    ({ subcommands }) =>
      subcommands === undefined ||
      rest.some((text) => (text === first || text.startsWith("-")) && subcommands.has(text)),
  );
  const target = found?.target ?? globalTarget(name, rest);
  return target === undefined ? [] : [outside(target, `needs ${target}`)];
}

/** `npm install -g` changes the tools of the whole machine. */
function globalTarget(name: string, rest: readonly string[]): string | undefined {
  if (
    !/^(?:npm|pnpm|yarn|bun)$/.test(name) ||
    !rest.some((text) => /^(?:-g|--global|--location=global|global)$/.test(text))
  )
    return undefined;
  const changes = rest.some((text) =>
    /^(?:i|in|install|add|ci|update|up|upgrade|remove|rm|uninstall|un|link|ln)$/.test(text),
  );
  return changes ? "the tools of every project" : undefined;
}
