import type { AuthMethod } from "@agentclientprotocol/sdk";

/** How a user can give us access to a model. Keys come from the environment only, so there is one way. */
export const authMethods = (): readonly AuthMethod[] => [
  {
    id: "environment",
    name: "API key in the environment",
    description:
      "Choose a model with --model, SIGNALBOX_MODEL or `signalbox models --set`, and set the key of its provider (such as ANTHROPIC_API_KEY) in the environment that your editor starts this agent with. `signalbox models` lists both. Then restart the agent.",
  },
];
