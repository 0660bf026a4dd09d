import { isRecord } from "../../lib/is-record.ts";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readIfThere } from "../../lib/read-if-there.ts";

/**
 * Gemini's list of projects. A launch has a copy and no link, because Gemini replaces the file while other parts of it
 * still resolve the link, and then it crashes.
 */
export const PROJECTS = "projects.json";

export function copyProjects(from: string, to: string): void {
  const content = textOf(from);
  if (content !== undefined) atomicWrite(to, content);
}

/** Adds what a launch wrote to the user's list, which another session may have changed meanwhile. */
export function keepProjects(from: string, to: string): void {
  const [added, own] = [projectsIn(textOf(from)), projectsIn(textOf(to))];
  const projects = { ...own, ...added };
  if (Object.keys(projects).length > Object.keys(own).length)
    atomicWrite(to, JSON.stringify({ projects }, undefined, 2));
}

function textOf(path: string): string | undefined {
  try {
    return readIfThere(path)?.toString("utf8");
  } catch {
    // Not a regular file, or not readable: Gemini begins a new list.
    return undefined;
  }
}

function projectsIn(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value = text === undefined ? undefined : parseJson(text);
    return isRecord(value) && isRecord(value["projects"]) ? value["projects"] : {};
  } catch {
    return {};
  }
}
