/** The protocols for asking models. `compatible` is Chat Completions as spoken by servers other than OpenAI's. */
export type WireName = "anthropic" | "responses" | "chat" | "compatible" | "google";

export interface Provider {
  readonly name: string;
  readonly wire: WireName;
  /** Undefined: the user must give one. */
  readonly baseUrl: string | undefined;
  /** The variable that can contain another base URL. */
  readonly baseUrlVariable?: string;
  /** Variables that can contain the key; the first one set wins. None: no key is needed. */
  readonly keyVariables: readonly string[];
}

const compatible = (name: string, baseUrl: string | undefined, keyVariables: readonly string[] = []): Provider => ({
  name,
  wire: "compatible",
  baseUrl,
  keyVariables,
});

const openai = {
  baseUrl: "https://api.openai.com/v1",
  baseUrlVariable: "OPENAI_BASE_URL",
  keyVariables: ["OPENAI_API_KEY"],
};

/** Every provider that can appear before the slash in a model's name. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: "anthropic",
    wire: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    keyVariables: ["ANTHROPIC_API_KEY"],
  },
  { name: "openai", wire: "responses", ...openai },
  { name: "openai-chat", wire: "chat", ...openai },
  {
    name: "google",
    wire: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  },
  compatible("openrouter", "https://openrouter.ai/api/v1", ["OPENROUTER_API_KEY"]),
  compatible("deepseek", "https://api.deepseek.com/v1", ["DEEPSEEK_API_KEY"]),
  compatible("groq", "https://api.groq.com/openai/v1", ["GROQ_API_KEY"]),
  compatible("mistral", "https://api.mistral.ai/v1", ["MISTRAL_API_KEY"]),
  compatible("xai", "https://api.x.ai/v1", ["XAI_API_KEY"]),
  compatible("ollama", "http://127.0.0.1:11434/v1"),
  compatible("llamacpp", "http://127.0.0.1:8080/v1"),
  compatible("vllm", "http://127.0.0.1:8000/v1"),
  { ...compatible("compatible", undefined, ["SIGNALBOX_API_KEY"]), baseUrlVariable: "SIGNALBOX_BASE_URL" },
];

export const providerNamed = (name: string): Provider | undefined =>
  PROVIDERS.find((provider) => provider.name === name);
