import { parseJson } from "../src/lib/json/parse-json.ts";

const { parse } = JSON;

/**
 * The build substitutes this for JSON.parse. With a reviver it calls the engine's own, but nothing we bundle passes
 * one.
 */
export const jsonParseInRelease = (text: unknown, reviver?: Parameters<typeof parse>[1]): unknown =>
  reviver === undefined ? parseJson(String(text)) : parse(String(text), reviver);
