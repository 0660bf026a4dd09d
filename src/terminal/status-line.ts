import type { WorkMode } from "../contract/engine-settings.ts";
import type { SessionState } from "../contract/session-port.ts";
import { dollars, printableLine } from "../lib/text/printable.ts";
import { cut, widthOf } from "./screen.ts";
import type { Style } from "./style.ts";

export interface Status extends SessionState {
  readonly model: string;
  readonly mode: WorkMode;
  /** The share of the window that is used, in percent; undefined while it is unknown. */
  readonly context: number | undefined;
  /** How long it has worked, in milliseconds. */
  readonly worked: number;
  readonly isWorking: boolean;
}

/** One line about the session. What matters least goes first where there is no room. */
export function statusLine(status: Status, width: number, style: Style): string {
  const { model, effort, mode, isContained, branch, context, cost, worked, isWorking } = status;
  const name = printableLine(model);
  const parts: readonly (readonly [rank: number, text: string, paint: (text: string) => string])[] = [
    [2, effort === undefined ? name : `${name} ${effort}`, style.dim],
    [0, mode, MODE_PAINTS(style)[mode]],
    [
      1,
      isContained === undefined ? "" : isContained ? "sandbox" : "no sandbox",
      isContained === false ? style.red : style.dim,
    ],
    [4, branch === undefined ? "" : printableLine(branch), style.dim],
    [3, context === undefined ? "" : `${context}% context`, (context ?? 0) >= 80 ? style.yellow : style.dim],
    [5, cost === undefined ? "" : dollars(cost), style.dim],
    [6, worked < 1000 ? "" : timeOf(worked), style.dim],
  ];
  const hint = isWorking ? "esc interrupts" : "";
  const shown = [...parts, [7, hint, style.dim] as const].filter(([, text]) => text !== "");
  const line = (most: number) =>
    shown
      .filter(([rank]) => rank <= most)
      .map(([, text, paint]) => paint(text))
      .join(style.dim(" · "));
  for (let most = 7; most > 0; most--) if (widthOf(line(most)) <= width) return line(most);
  return cut(line(0), width);
}

const MODE_PAINTS = (style: Style) => ({ ask: style.green, plan: style.blue, auto: style.yellow });

const MINUTE = 60;

/** `8 s`, `2:05`, `1:02:05`. */
export function timeOf(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < MINUTE) return `${seconds} s`;
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / MINUTE);
  const rest = `${two(minutes % MINUTE)}:${two(seconds % MINUTE)}`;
  return minutes < MINUTE ? rest.replace(/^0/, "") : `${Math.floor(minutes / MINUTE)}:${rest}`;
}
