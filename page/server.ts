import { signal } from "@preact/signals";
import type { BoardEntry } from "../src/contract/board-entry.ts";

interface SeenBoard {
  readonly seq: number;
  readonly entries: readonly BoardEntry[];
  readonly problems: readonly string[];
}

export const board = signal<SeenBoard | undefined>(undefined);

/** Why nothing arrives, if nothing does. */
export const trouble = signal("");

const KEY = "signalbox-token";

/** Takes the token out of the address, where it would stay in the history. */
export function takeToken(): void {
  const { hash, pathname } = location;
  if (!/^#[\w-]{20,}$/.test(hash)) return;
  sessionStorage.setItem(KEY, hash.slice(1));
  history.replaceState(null, "", `${pathname}#/`);
}

const headers = () => ({ authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}` });

/** Asks our server. Throws with its reason. */
export async function ask<Value>(path: string): Promise<Value> {
  return await answer<Value>(await fetch(path, { headers: headers() }));
}

export async function stop(id: string): Promise<void> {
  const more = { "content-type": "application/json" };
  await answer(
    await fetch("/api/stop", { method: "POST", headers: { ...headers(), ...more }, body: JSON.stringify({ id }) }),
  );
}

async function answer<Value>(response: Response): Promise<Value> {
  const value = await response.json();
  if (response.ok) return value;
  throw new Error(typeof value.because === "string" ? value.because : `status ${response.status}`);
}

const AGAIN_MS = 1500;

/** Keeps the board up to date, for as long as the page is open. */
export async function follow(): Promise<never> {
  for (;;) {
    try {
      const response = await fetch(`/api/board/${board.value?.seq ?? 0}`, { headers: headers() });
      if (!response.ok || response.body === null) await answer(response);
      else await readBoards(response.body);
      trouble.value = "The dashboard has ended. Start it again: signalbox dashboard";
    } catch (error) {
      trouble.value =
        error instanceof TypeError
          ? "The dashboard does not answer. Is it still running? signalbox dashboard"
          : String(error instanceof Error ? error.message : error);
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

async function readBoards(body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    // Only the newest counts.
    const last = lines.at(-1);
    if (last === undefined) continue;
    board.value = await new Response(last).json();
    trouble.value = "";
  }
}
