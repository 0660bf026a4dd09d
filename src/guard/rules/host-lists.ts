import type { NetworkLists } from "../../contract/policy.ts";
import { type HostPattern, parseHostPattern } from "../../lib/net/host-pattern.ts";
import { nearest } from "../../lib/text/nearest.ts";

/** The part of a policy that decides about hosts, with its lists compiled. */
export interface HostLists {
  readonly policy: { readonly network: NetworkLists };
  readonly allowHosts: readonly HostPattern[];
  readonly denyHosts: readonly HostPattern[];
}

/** Compiles the entries of a host list, groups included. Throws with the reason for one that has no meaning. */
export function compileHosts(entries: readonly string[]): readonly HostPattern[] {
  return expandGroups(entries).map((entry) => parseHostPattern(entry));
}

/** Hosts that belong together under one name. A group names hosts, not rights: what they accept can be sent there. */
interface HostGroup {
  readonly hosts: readonly string[];
  /** The page that names these hosts. */
  readonly source: string;
  /** False for a list that was taken from its source and never tried against the real hosts. */
  readonly tried: boolean;
}

const untried = (source: string, ...hosts: readonly string[]): HostGroup => ({ hosts, source, tried: false });

/**
 * The groups for `network.allow` and `network.deny`. Storage hosts where anyone can open an account
 * (`storage.googleapis.com`, S3, Azure blobs) are left out on purpose, even if a registry redirects to them.
 */
export const HOST_GROUPS: Readonly<Record<string, HostGroup>> = {
  "@npm": {
    hosts: ["registry.npmjs.org", "registry.yarnpkg.com"],
    source: "https://docs.npmjs.com/cli/v11/using-npm/registry",
    tried: true,
  },
  "@node": untried("https://github.com/nodejs/node-gyp#environment-variables", "nodejs.org"),
  "@deno": untried("https://jsr.io/docs/npm-compatibility", "jsr.io", "npm.jsr.io", "deno.land"),
  "@python": untried("https://docs.pypi.org/api/index-api/", "pypi.org", "files.pythonhosted.org"),
  "@conda": untried(
    "https://www.anaconda.com/docs/tools/working-with-conda/reference/default-channels",
    "repo.anaconda.com",
    "conda.anaconda.org",
  ),
  "@rust": untried(
    "https://doc.rust-lang.org/cargo/reference/registries.html",
    "index.crates.io",
    "static.crates.io",
    "crates.io",
    "static.rust-lang.org",
  ),
  "@go": untried("https://go.dev/ref/mod#module-proxy", "proxy.golang.org", "sum.golang.org"),
  "@ruby": untried("https://guides.rubygems.org/rubygems-org-api/", "rubygems.org", "index.rubygems.org"),
  "@java": untried(
    "https://maven.apache.org/repository/",
    "repo.maven.apache.org",
    "repo1.maven.org",
    "plugins.gradle.org",
    "plugins-artifacts.gradle.org",
    "services.gradle.org",
    "downloads.gradle.org",
  ),
  "@dotnet": untried("https://learn.microsoft.com/nuget/api/overview", "api.nuget.org"),
  "@php": untried("https://packagist.org/apidoc", "repo.packagist.org", "packagist.org"),
  "@elixir": untried("https://hex.pm/docs/mirrors", "hex.pm", "repo.hex.pm", "builds.hex.pm"),
  "@haskell": untried("https://hackage.haskell.org/api", "hackage.haskell.org"),
  "@dart": untried("https://pub.dev/help/api", "pub.dev"),
  "@debian": {
    hosts: ["deb.debian.org", "security.debian.org"],
    source: "https://www.debian.org/mirror/list",
    tried: true,
  },
  "@ubuntu": untried(
    "https://documentation.ubuntu.com/server/how-to/software/package-management/",
    "archive.ubuntu.com",
    "security.ubuntu.com",
    "ports.ubuntu.com",
  ),
  "@alpine": untried("https://wiki.alpinelinux.org/wiki/Repositories", "dl-cdn.alpinelinux.org"),
  "@github": untried(
    "https://docs.github.com/rest/meta/meta#get-github-meta-information",
    "github.com",
    "*.github.com",
    "*.githubusercontent.com",
  ),
  "@gitlab": untried("https://docs.gitlab.com/user/gitlab_com/", "gitlab.com", "registry.gitlab.com"),
  "@bitbucket": untried(
    "https://support.atlassian.com/bitbucket-cloud/docs/what-are-the-bitbucket-cloud-ip-addresses-i-should-use-to-configure-my-corporate-firewall/",
    "bitbucket.org",
    "api.bitbucket.org",
  ),
  "@playwright": untried(
    "https://playwright.dev/docs/browsers",
    "cdn.playwright.dev",
    "playwright.download.prss.microsoft.com",
  ),
};

class UnknownHostGroup extends Error {
  override readonly name = "UnknownHostGroup";
}

/** The entries with every group replaced by its hosts. Throws for an unknown group and names the closest one. */
export function expandGroups(entries: readonly string[]): readonly string[] {
  return entries.flatMap((entry) => (entry.startsWith("@") ? findGroup(entry).hosts : [entry]));
}

function findGroup(name: string): HostGroup {
  const group = Object.hasOwn(HOST_GROUPS, name) ? HOST_GROUPS[name] : undefined;
  if (group !== undefined) return group;
  const meant = nearest(name, Object.keys(HOST_GROUPS));
  const hint =
    meant === undefined ? `the groups are ${Object.keys(HOST_GROUPS).join(" ")}` : `did you mean "${meant}"?`;
  throw new UnknownHostGroup(`unknown host group ${JSON.stringify(name)} (${hint})`);
}
