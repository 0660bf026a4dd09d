import { printable } from "../../lib/printable.ts";
import { modelRow } from "../../models/catalog/catalog.ts";
import { chooseModel } from "../../models/choose-model.ts";
import { limitsOf } from "../../models/limits.ts";
import { printJson } from "../flags.ts";
import { amount, priceText, thinkingText } from "./describe-row.ts";

interface Options {
  readonly baseUrl: string | undefined;
  readonly json: boolean;
}

/** How one model would be called, and what is known about it. */
export function showModel(name: string, { baseUrl, json }: Options): void {
  const wanted = { name, place: "the argument of models", baseUrl, environment: process.env };
  const { provider, wire, id, baseUrl: address, key } = chooseModel(wanted);
  const call = { provider, model: id, wire, baseUrl: address, key: key === undefined ? "none" : "set" };
  const row = modelRow(provider, id);
  const limits = limitsOf(row);
  if (json) return printJson({ ...call, limits, row: row ?? null });
  const facts = {
    ...call,
    prompt: `${amount(limits.prompt)} tokens${row === undefined ? ", assumed: it is not in the catalogue" : ""}`,
    answer: row?.output === undefined ? "unknown" : `${amount(row.output)} tokens`,
    thinking: row === undefined ? "unknown" : thinkingText(row.thinking),
    price: row?.price === undefined ? "unknown" : `${priceText(row.price).trim()} (in, out, cache read, cache write)`,
    sources: row?.sources.map(({ of, from, read }) => `${of}: ${from}, ${read}`).join("; ") ?? "none",
  };
  for (const [field, value] of Object.entries(facts)) process.stdout.write(`${field.padEnd(9)}${printable(value)}\n`);
}
