import { basename, dirname } from "node:path";
import type { KnowledgePlace, NotLoaded } from "../../contract/knowledge.ts";
import { wrapText } from "../../lib/text/printable.ts";
import {
  filesIn,
  foldersBelow,
  instructionFiles,
  isOthers,
  type LoadedText,
  matchesGlobs,
  nestedPlace,
  openShelf,
} from "./instruction-files.ts";
import { nameOf } from "./text-files.ts";

/** The instructions of a session, and what was found and left out. */
export interface Knowledge {
  readonly loaded: readonly LoadedText[];
  readonly notLoaded: readonly NotLoaded[];
}

/** Reads the instructions for a session, in order. Those with `touch` wait for a file that they are about. */
export function loadInstructions(place: KnowledgePlace): Knowledge {
  const { places, notLoaded } = instructionFiles(place);
  const shelf = openShelf(place);
  for (const each of places) shelf.add(each);
  const { kept, repeated } = withoutStaged(shelf.loaded());
  return { loaded: kept, notLoaded: [...notLoaded, ...shelf.notLoaded(), ...repeated] };
}

const STAGED = ".signalbox/instructions.md";

/** `signalbox stage` writes this file's text into the file of an agent, where it would be read a second time. */
function withoutStaged(loaded: readonly LoadedText[]) {
  const staged = loaded.find(({ names }) => names[0] === STAGED);
  const other = loaded.find((each) => each !== staged && staged !== undefined && each.text.includes(staged.text));
  if (staged === undefined || other === undefined) return { kept: loaded, repeated: [] };
  const why = `${other.names[0]} contains it`;
  return { kept: loaded.filter((each) => each !== staged), repeated: [{ name: STAGED, why, expected: true as const }] };
}

/** Instructions between tags that name their files, as the model gets them. */
export const showInstructions = ({ names, text }: LoadedText): string =>
  wrapText("instructions", names.join(", "), text);

/** Every AGENTS.md below the workspace that a touched file would bring in, for a list. Large trees are read in part. */
export function findNested(place: KnowledgePlace, { loaded }: Knowledge): Knowledge {
  const { files, problems } = filesIn(place.workspace, (name) => name === "AGENTS.md", isOthers);
  const shelf = openShelf(place, loaded);
  const folders = files
    .map((file) => dirname(file))
    .filter((folder) => foldersBelow(place.workspace, folder).length > 0);
  const found = folders.flatMap((folder) => {
    const before = shelf.loaded().length;
    shelf.add(nestedPlace(folder, place));
    const globs = [`${nameOf(folder, place)}/**`];
    return shelf
      .loaded()
      .slice(before)
      .map((each): LoadedText => ({ ...each, when: "touch", globs }));
  });
  return {
    loaded: found,
    notLoaded: [
      ...shelf.notLoaded(),
      ...problems.map(({ path, why }) => ({ name: nameOf(path, place) || ".", why, expected: true as const })),
    ],
  };
}

/** Instructions that wait for a file: those with globs, and AGENTS.md in folders below the workspace. */
interface TouchedInstructions {
  /** Says that a file was read or written, by its absolute real path. Returns what that brings in. */
  touched(path: string): { readonly loaded: readonly LoadedText[]; readonly notLoaded: readonly NotLoaded[] };
  /** What has been brought in so far, for a request. */
  texts(): readonly string[];
}

const MAX_BYTES = 64 * 1024;

export function touchedInstructions(knowledge: Knowledge, place: KnowledgePlace): TouchedInstructions {
  const waiting = new Set(knowledge.loaded.filter(({ when }) => when === "touch"));
  const visited = new Set<string>();
  const brought: LoadedText[] = [];
  let left = MAX_BYTES;

  const bring = (found: readonly LoadedText[]): readonly LoadedText[] => {
    const fitting = found.filter(({ bytes }) => bytes <= left && (left -= bytes) >= 0);
    brought.push(...fitting);
    return fitting;
  };
  const matching = (path: string) => {
    const globsPlace = { root: place.workspace, home: place.userHome };
    const found = [...waiting].filter(({ globs = [] }) => matchesGlobs(path, globs, globsPlace));
    for (const each of found) waiting.delete(each);
    return found;
  };
  const nested = (path: string) => {
    const known = [...knowledge.loaded.filter(({ when }) => when === "start"), ...brought];
    const shelf = openShelf(place, known);
    for (const folder of foldersBelow(place.workspace, dirname(path))) {
      // A package that was installed must not give orders.
      if (isOthers(basename(folder))) break;
      if (visited.has(folder)) continue;
      visited.add(folder);
      shelf.add(nestedPlace(folder, place));
    }
    return shelf;
  };
  return {
    touched(path) {
      if (foldersBelow(place.workspace, path).length === 0) return { loaded: [], notLoaded: [] };
      const shelf = nested(path);
      const found = [...matching(path), ...shelf.loaded()];
      const loaded = bring(found);
      const why = `instructions for touched files are limited to ${MAX_BYTES / 1024} KB`;
      const cut = found.filter((each) => !loaded.includes(each)).map(({ names }) => ({ name: names.join(", "), why }));
      return { loaded, notLoaded: [...shelf.notLoaded(), ...cut] };
    },
    texts: () => brought.map(showInstructions),
  };
}
