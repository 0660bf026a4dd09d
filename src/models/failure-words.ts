export interface ContextLimit {
  /** Whose words they are. Servers that copy them are not listed again. */
  readonly from: string;
  readonly words: RegExp;
  /** A message as it is sent, which the tests use. */
  readonly example: string;
}

/** How providers say that a request is too long for the model. None of them was asked: the messages are as published. */
export const CONTEXT_LIMITS: readonly ContextLimit[] = [
  {
    from: "Anthropic",
    words: /prompt is too long/i,
    example: "prompt is too long: 213462 tokens > 200000 maximum",
  },
  {
    from: "Anthropic, with the answer's part",
    words: /exceed context limit/i,
    example: "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
  },
  {
    from: "OpenAI Chat Completions",
    words: /maximum context length/i,
    example: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens.",
  },
  {
    from: "OpenAI Responses",
    words: /exceeds the context window|context_length_exceeded/i,
    example: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  },
  {
    from: "OpenAI, for a limit on the input alone",
    words: /input tokens exceed the configured limit/i,
    example: "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280000 tokens.",
  },
  {
    from: "Google",
    words: /input token count.*exceeds/i,
    example: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  },
  {
    from: "xAI",
    words: /maximum prompt length/i,
    example: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  },
  {
    from: "Groq",
    words: /reduce the length of the messages/i,
    example: "Please reduce the length of the messages or completion.",
  },
  {
    from: "Mistral",
    words: /too large for model with \d+ maximum context/i,
    example: "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
  },
  {
    from: "Kimi",
    words: /exceeded model token limit/i,
    example: "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
  },
  {
    from: "MiniMax",
    words: /context window exceeds limit/i,
    example: "invalid params, context window exceeds limit (2013)",
  },
  {
    from: "Z.ai",
    words: /prompt exceeds max length/i,
    example: "Prompt exceeds max length",
  },
  {
    from: "GitHub Copilot",
    words: /prompt token count.*exceeds the limit/i,
    example: "prompt token count of 130012 exceeds the limit of 128000",
  },
  {
    from: "Cohere",
    words: /too many (?:input )?tokens/i,
    example: "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5002.",
  },
  {
    from: "Amazon Bedrock",
    words: /input is too long for requested model/i,
    example: "Input is too long for requested model.",
  },
  {
    from: "Text Generation Inference and Together",
    words: /tokens \+ .?max_new_tokens.? must be <=/i,
    example: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens",
  },
  {
    from: "llama.cpp",
    words: /exceeds the available context size|exceed_context_size/i,
    example: "the request exceeds the available context size. try increasing the context size or enable context shift",
  },
  {
    from: "Ollama",
    words: /exceeded max context length|input length exceeds the context length/i,
    example: "prompt too long; exceeded max context length by 412 tokens",
  },
  {
    from: "vLLM",
    words: /longer than the maximum model length/i,
    example: "The decoder prompt (length 5120) is longer than the maximum model length of 4096.",
  },
  {
    from: "LM Studio",
    words: /greater than the context length/i,
    example:
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5120>= n_ctx: 4096).",
  },
  {
    from: "a proxy that limits bytes",
    words: /request_too_large|context[ _](?:length|window|limit)/i,
    example: "request_too_large: Request exceeds the maximum size",
  },
];

/** How providers refuse an image that they cannot read, or that is too large for them. */
export const REFUSED_IMAGES: readonly ContextLimit[] = [
  { from: "Anthropic", words: /could not process image/i, example: "Could not process image" },
  {
    from: "Anthropic, by its size in pixels",
    words: /image dimensions exceed/i,
    example: "messages.0.content.1.image.source.base64: image dimensions exceed max allowed size: 8000 pixels",
  },
  {
    from: "Anthropic, by its bytes",
    words: /image exceeds \d/i,
    example: "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
  },
  {
    from: "OpenAI",
    words: /image_parse_error|invalid_image|unsupported image|not represent a valid image/i,
    example: "The image data you provided does not represent a valid image. Please check your input and try again.",
  },
  {
    from: "Google",
    words: /unable to process input image/i,
    example: "Unable to process input image. Please retry or report in the developer forum.",
  },
  {
    from: "a model that sees no images",
    words: /does(?:n't| not) support image|image input is not supported|no endpoints found that support image/i,
    example: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
  },
];

/** A 429 that waiting does not mend: the account has nothing left. */
export const NO_CREDIT = /insufficient_quota|insufficient balance|credit balance is too low|billing_hard_limit/i;
