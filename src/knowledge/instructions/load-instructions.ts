import { dirname } from "node:path";
import type { KnowledgePlace, NotLoaded } from "../../contract/knowledge-place.ts";
import { nameOf } from "../texts/name-of.ts";
import { wrapText } from "../../lib/wrap-text.ts";
import { filesIn } from "./files-in.ts";
import { foldersBelow, instructionPlaces, isOthers, nestedPlace } from "./instruction-places.ts";
import { type LoadedText, openShelf } from "./instruction-shelf.ts";

/** The instructions of a session, and what was found and left out. */
export interface Knowledge {
  readonly loaded: readonly LoadedText[];
  readonly notLoaded: readonly NotLoaded[];
}

/** Reads the instructions for a session, in order. Those with `touch` wait for a file that they are about. */
export function loadInstructions(place: KnowledgePlace): Knowledge {
  const { places, notLoaded } = instructionPlaces(place);
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
