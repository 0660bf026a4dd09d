import { type GitCall, runGit } from "../../lib/run-git.ts";

/** What is known about the git repository that a folder stands in. Reading it changes nothing there. */
export interface Repository {
  readonly top: string;
  /** Where the folder lies in the work tree: empty, or a path with a slash at its end. */
  readonly prefix: string;
  readonly objects: string;
  readonly index: string;
  readonly exclude: string;
  readonly shallow: string;
  readonly format: string;
  /** Settings that decide how file content becomes a blob. */
  readonly settings: readonly string[];
}

/** Repository and work tree of a folder, or undefined when git knows none there, or does not trust it. */
export async function findRepository(folder: string): Promise<Repository | undefined> {
  const call: GitCall = { cwd: folder };
  const paths = ["objects", "index", "info/exclude", "shallow"].flatMap((name) => ["--git-path", name]);
  const asked = ["--path-format=absolute", "--is-inside-work-tree", "--show-toplevel", "--show-prefix", ...paths];
  const { code, stdout } = await runGit(["rev-parse", ...asked, "--show-object-format"], { ...call, accept: [128] });
  const [inside, top = "", prefix = "", objects = "", index = "", exclude = "", shallow = "", format = ""] = stdout
    .toString("utf8")
    .split("\n");
  if (code !== 0 || inside !== "true" || format === "") return undefined;
  return {
    top,
    prefix,
    objects,
    index,
    exclude,
    shallow,
    format,
    settings: await blobSettings(call),
  };
}

/** The commit that is checked out; undefined before the first one. */
export async function headCommit(call: GitCall): Promise<string | undefined> {
  const { stdout } = await runGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { ...call, accept: [1, 128] });
  return stdout.length === 0 ? undefined : stdout.toString("utf8").trim();
}

const CONTENT = "^core\\.(autocrlf|eol|safecrlf|filemode|ignorecase|symlinks|precomposeunicode|excludesfile)$";

/** As `name=value`. Filters are left out on purpose: they are programs of the repository's choosing. */
async function blobSettings(call: GitCall): Promise<string[]> {
  const { stdout } = await runGit(["config", "-z", "--get-regexp", CONTENT], { ...call, accept: [1] });
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => entry.replace("\n", "="));
}
