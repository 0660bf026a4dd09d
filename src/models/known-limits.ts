import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { isLoopbackHost } from "../lib/net/ip-address.ts";
import { modelRow } from "./catalog/catalog.ts";
import type { ModelChoice } from "./choose-model.ts";
import { limitsOf, type ModelLimits } from "./model.ts";
import { sendHttp, type Sending, type Sent, SmallHeaders, type WireSettings } from "./send-http.ts";

interface KnownLimits {
  readonly now: () => ModelLimits;
  readonly learn: (signal: AbortSignal) => Promise<void>;
  /** Learns again what is still uncertain, if anybody wanted to know, and until they no longer do. */
  readonly learnMore: () => Promise<void>;
}

/** An uncertain window is asked for again, but not for ever. */
const MAX_ASKED = 3;

/** The limits of a model, better known once its server has been asked. */
export function knownLimits(choice: ModelChoice, send?: WireSettings["send"]): KnownLimits {
  const row = modelRow(choice.provider, choice.id);
  let limits = limitsOf(row);
  let asking: Promise<void> | undefined;
  let left = canTellWindow(choice) ? MAX_ASKED : 0;
  const ask = async (signal: AbortSignal) => {
    left--;
    const window = await serverWindow(choice, signal, send);
    if (window !== undefined) limits = limitsOf(row, window.tokens);
    if (window?.certain === true) left = 0;
    asking = undefined;
  };
  // Outlives a request, so that a silent server holds up neither the request nor the end of the program.
  let wanted: AbortSignal | undefined;
  const learn = async (signal: AbortSignal) => {
    wanted = signal;
    if (left > 0 || asking !== undefined) await (asking ??= ask(signal));
  };
  return {
    now: () => limits,
    learn,
    learnMore: async () => {
      if (wanted?.aborted === false) await learn(wanted);
    },
  };
}

/** What a server says about the window of a model. */
interface ServerWindow {
  readonly tokens: number;
  /** False: it is what the model could have, and the server may give it less once it is loaded. */
  readonly certain: boolean;
}

type Send = (url: string, sending: Sending) => Promise<Sent>;

/** Whether the server of a model is asked for its window. Providers in the cloud have a row in the catalogue instead. */
function canTellWindow({ provider, baseUrl }: ModelChoice): boolean {
  if (provider === "compatible") return isLoopbackHost(new URL(baseUrl).hostname);
  return provider === "ollama" || provider === "llamacpp" || provider === "vllm";
}

const MAX_MS = 1000;

/** Asks the server that a model runs on. Undefined for every answer that is late, too long or makes no sense. */
async function serverWindow(
  choice: ModelChoice,
  signal: AbortSignal,
  send: Send = sendHttp,
): Promise<ServerWindow | undefined> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);
  const root = choice.baseUrl.replace(/\/v\d[\w.]*$/, "");
  const ask = (url: string, body?: unknown) => document(choice, { url, body }, { signal: within, send });
  if (choice.provider === "ollama") {
    const [shown, running] = await Promise.all([ask(`${root}/api/show`, { model: choice.id }), ask(`${root}/api/ps`)]);
    return ollamaWindow(shown, running, choice.id);
  }
  const [listed, props] = await Promise.all([
    ask(`${choice.baseUrl}/models`),
    choice.provider === "vllm" ? undefined : ask(`${root}/props`),
  ]);
  const tokens = propsWindow(props) ?? listedWindow(listed, choice.id);
  return tokens === undefined ? undefined : { tokens, certain: true };
}

interface Question {
  readonly url: string;
  readonly body: unknown;
}

const MAX_BYTES = 1024 * 1024;

/** The JSON document at an address; undefined for anything else. */
async function document(
  { key }: ModelChoice,
  { url, body }: Question,
  { signal, send }: { readonly signal: AbortSignal; readonly send: Send },
): Promise<unknown> {
  const headers = new SmallHeaders({
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  });
  // Closes the connection of an answer that is not read to its end.
  const cancel = new AbortController();
  let whole = false;
  try {
    const answer = await send(url, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([signal, cancel.signal]),
    });
    if (answer.status !== 200 || answer.body === null) return undefined;
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of answer.body) {
      size += piece.byteLength;
      if (size > MAX_BYTES) return undefined;
      pieces.push(piece);
    }
    whole = true;
    return parseJson(Buffer.concat(pieces).toString("utf8"));
  } catch {
    // A server that does not answer this question may still answer requests.
    return undefined;
  } finally {
    if (!whole) cancel.abort();
  }
}

/** llama.cpp: the context of one of its slots. */
function propsWindow(props: unknown): number | undefined {
  return windowIn(field(props, "default_generation_settings"), ["n_ctx"]);
}

/** vLLM and others list the window with the model. */
const LISTED = ["loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length"];

function listedWindow(list: unknown, id: string): number | undefined {
  const data = field(list, "data");
  const models: readonly unknown[] = Array.isArray(data) ? data : [];
  // A server with a single model often accepts any name for it.
  const model = models.find((each) => field(each, "id") === id) ?? (models.length === 1 ? models[0] : undefined);
  return windowIn(model, LISTED);
}

/** Ollama: `num_ctx` of the model file, or the context of the loaded model, or at most what the model was made for. */
function ollamaWindow(shown: unknown, running: unknown, id: string): ServerWindow | undefined {
  const parameters = field(shown, "parameters");
  const chosen = typeof parameters === "string" ? /^num_ctx\s+"?(\d{1,9})"?\s*$/m.exec(parameters)?.[1] : undefined;
  const models = field(running, "models");
  const names = [id, `${id}:latest`];
  const loaded = (Array.isArray(models) ? models : []).find((each: unknown) =>
    ["name", "model"].some((key) => names.some((name) => field(each, key) === name)),
  );
  const tokens = windowIn({ n: Number(chosen) }, ["n"]) ?? windowIn(loaded, ["context_length"]);
  if (tokens !== undefined) return { tokens, certain: true };
  const info = field(shown, "model_info");
  const key = isRecord(info) ? Object.keys(info).find((name) => name.endsWith(".context_length")) : undefined;
  const most = key === undefined ? undefined : windowIn(info, [key]);
  return most === undefined ? undefined : { tokens: most, certain: false };
}

const field = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);

/** No model works with less, and none has more. */
const [SMALLEST, LARGEST] = [512, 100_000_000];

function windowIn(value: unknown, keys: readonly string[]): number | undefined {
  const tokens = keys
    .map((key) => field(value, key))
    .find((each): each is number => typeof each === "number" && Number.isInteger(each));
  return tokens !== undefined && tokens >= SMALLEST && tokens <= LARGEST ? tokens : undefined;
}
