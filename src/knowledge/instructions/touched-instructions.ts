import { basename, dirname } from "node:path";
import type { KnowledgePlace, NotLoaded } from "../../contract/knowledge-place.ts";
import { matchesGlobs } from "./apply-to.ts";
import { foldersBelow, isOthers, nestedPlace } from "./instruction-places.ts";
import { type LoadedText, openShelf } from "./instruction-shelf.ts";
import { type Knowledge, showInstructions } from "./load-instructions.ts";

/** Instructions that wait for a file: those with globs, and AGENTS.md in folders below the workspace. */
export interface TouchedInstructions {
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
