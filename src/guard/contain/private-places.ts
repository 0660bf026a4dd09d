import { isBelow } from "../../lib/real-path.ts";

/** Folders that the sandbox replaces by its own. */
const OWN_FOLDERS = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/folders"];

/** Caches in the home folder: inside, they belong to the workspace's private home. */
const CACHES =
  ".cache .npm .yarn .pnpm-store .local/share/pnpm .bun/install .gradle .m2/repository .ivy2 .sbt .nuget .gem .bundle .cargo/registry .cargo/git go/pkg .hex .mix .cabal .stack .julia .composer/cache .cpan .pub-cache .cocoapods".split(
    " ",
  );

/** Tool folders of the home that stay visible inside. */
const TOOLS =
  ".cargo .rustup .pyenv .rbenv .nodenv .goenv .nvm .fnm .volta .asdf .sdkman .jabba .deno .bun .local go .ghcup .opam .elan .juliaup .dotnet .gitconfig".split(
    " ",
  );

/** True for a folder that is private to the session, so that what happens there stays inside. */
export function isPrivatePlace(path: string, homes: readonly string[]): boolean {
  return OWN_FOLDERS.some((folder) => isBelow(path, folder)) || isInHome(path, CACHES, homes);
}

/** True for a path in the home folder that is not visible inside. */
export function isHiddenInHome(path: string, homes: readonly string[]): boolean {
  const below = homes.some((home) => path !== home && isBelow(path, home));
  return below && !isInHome(path, CACHES, homes) && !isInHome(path, TOOLS, homes);
}

function isInHome(path: string, folders: readonly string[], homes: readonly string[]): boolean {
  return homes.some((home) => isBelow(path, home) && folders.some((folder) => isBelow(path, `${home}/${folder}`)));
}

/** A device that the sandbox does not have. */
export function isMissingDevice(path: string): boolean {
  return /^\/dev\/(?!(?:shm|fd|pts|null|zero|full|random|urandom|tty|stdin|stdout|stderr|ptmx|console|core)(?:\/|$))./.test(
    path,
  );
}
