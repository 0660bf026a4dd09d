import { dirname, isAbsolute, join } from "node:path";
import type { KnowledgePlace, NotLoaded } from "../../contract/knowledge.ts";
import { isInside } from "../../lib/path/inside.ts";
import { listNames, nameOf } from "./text-files.ts";

export type InstructionKind = "user" | "repository" | "path" | "nested" | "directory" | "import";

/** A file that may hold instructions. */
export interface InstructionPlace {
  readonly path: string;
  /** How it is called on the screen and for the model. */
  readonly name: string;
  readonly kind: InstructionKind;
  /** The folder that it must stay in; undefined for the user's own. */
  readonly root: string | undefined;
  /** True for a file whose `@imports` are followed. */
  readonly hasImports: boolean;
  /** True for a file whose front matter may limit it to some paths. */
  readonly hasGlobs: boolean;
}

interface Places {
  readonly places: readonly InstructionPlace[];
  readonly notLoaded: readonly NotLoaded[];
}

const REPOSITORY = [".signalbox/instructions.md", ".github/copilot-instructions.md"];

const WITH_IMPORTS = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

const GLOBBED = ".github/instructions";

/** Every file that is looked for at the start of a session, in order. */
export function instructionPlaces(place: KnowledgePlace): Places {
  const { workspace, cwd, userHome, signalboxHome } = place;
  const own = [join(userHome, ".copilot/copilot-instructions.md"), join(signalboxHome, "instructions.md")];
  const repository = (name: string, kind: InstructionKind, more: Partial<InstructionPlace> = {}) =>
    plain(join(workspace, name), { place, kind, root: workspace, more });
  const globbed = globbedIn(workspace, place);
  const named = namedFolders(place);
  return {
    places: [
      ...own.map((path) => plain(path, { place, kind: "user", root: undefined })),
      ...REPOSITORY.map((name) => repository(name, "repository")),
      ...WITH_IMPORTS.map((name) => repository(name, "repository", { hasImports: true })),
      ...globbed.places,
      ...foldersBelow(workspace, cwd).map((folder) => nestedPlace(folder, place)),
      ...named.places,
    ],
    notLoaded: [...globbed.notLoaded, ...named.notLoaded],
  };
}

/** The AGENTS.md of a folder below the workspace. */
export const nestedPlace = (folder: string, place: KnowledgePlace): InstructionPlace =>
  plain(join(folder, "AGENTS.md"), {
    place,
    kind: "nested",
    root: place.workspace,
    more: { hasImports: true },
  });

const INSTALLED = new Set(["node_modules", "vendor", "target", "dist", "build"]);

/** True for folders whose content is installed or made, not the project's own. Their instructions are never read. */
export const isOthers = (name: string): boolean => name.startsWith(".") || INSTALLED.has(name);

/** The folders from below the workspace down to `folder`, which is inside it. */
export function foldersBelow(workspace: string, folder: string): readonly string[] {
  if (!isInside(folder, workspace)) return [];
  const folders: string[] = [];
  for (let at = folder; at !== workspace; at = dirname(at)) folders.unshift(at);
  return folders;
}

interface PlainPlace {
  readonly place: KnowledgePlace;
  readonly kind: InstructionKind;
  readonly root: string | undefined;
  readonly more?: Partial<InstructionPlace>;
}

const plain = (path: string, { place, kind, root, more = {} }: PlainPlace): InstructionPlace => ({
  path,
  name: nameOf(path, place),
  kind,
  root,
  hasImports: false,
  hasGlobs: false,
  ...more,
});

/** The files below .github/instructions of a folder, sub-folders included. */
function globbedIn(root: string, place: KnowledgePlace, kind: InstructionKind = "path"): Places {
  const top = join(root, GLOBBED);
  const { files, problems } = filesIn(top, (name) => name.endsWith(".instructions.md"));
  return {
    places: files.map((path) =>
      plain(path, { place, kind, root: kind === "path" ? root : undefined, more: { hasGlobs: true } }),
    ),
    notLoaded: problems.map(({ path, why }) => ({ name: nameOf(path, place), why })),
  };
}

const VARIABLES = ["COPILOT_CUSTOM_INSTRUCTIONS_DIRS", "SIGNALBOX_INSTRUCTIONS_DIRS"];

/** What the folders hold that the user's environment names, separated by commas or colons. */
function namedFolders(place: KnowledgePlace): Places {
  const found: Places[] = VARIABLES.flatMap((variable) =>
    (place.environment[variable] ?? "")
      .split(/[,:]/)
      .map((folder) => folder.trim())
      .filter((folder) => folder !== "")
      .map((folder) => {
        const path = folder.startsWith("~/") ? join(place.userHome, folder.slice(2)) : folder;
        return isAbsolute(path)
          ? inNamedFolder(path, place)
          : { places: [], notLoaded: [{ name: folder, why: `${variable} needs absolute paths` }] };
      }),
  );
  return {
    places: found.flatMap(({ places }) => places),
    notLoaded: found.flatMap(({ notLoaded }) => notLoaded),
  };
}

function inNamedFolder(folder: string, place: KnowledgePlace): Places {
  const files = ["AGENTS.md", ".github/copilot-instructions.md"].map((name) =>
    plain(join(folder, name), { place, kind: "directory", root: undefined }),
  );
  const { places, notLoaded } = globbedIn(folder, place, "directory");
  return { places: [...files, ...places], notLoaded };
}

const MAX_FILES = 200;

const MAX_FOLDERS = 500;

interface FoundFiles {
  readonly files: readonly string[];
  readonly problems: readonly { readonly path: string; readonly why: string }[];
}

/** The wanted files below a folder, in order of path. Links to folders are not followed, so there are no loops. */
export function filesIn(
  top: string,
  isWanted: (name: string) => boolean,
  skips: (name: string) => boolean = () => false,
): FoundFiles {
  const files: string[] = [];
  const problems: { path: string; why: string }[] = [];
  const folders = [top];
  for (const folder of folders) {
    const { names, isWhole } = listNames(folder);
    if (!isWhole) problems.push({ path: folder, why: `only its first ${names.length} entries were read` });
    for (const { name, kind } of names) {
      const path = join(folder, name);
      if (kind !== "folder" && isWanted(name)) files.push(path);
      if (kind === "folder" && !skips(name)) folders.push(path);
    }
    if (files.length > MAX_FILES || folders.length > MAX_FOLDERS) {
      problems.push({ path: top, why: `only ${MAX_FILES} files in ${MAX_FOLDERS} folders are read` });
      break;
    }
  }
  return { files: files.slice(0, MAX_FILES).toSorted(), problems };
}
