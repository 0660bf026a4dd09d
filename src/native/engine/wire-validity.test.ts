import { expect, test } from "vitest";
import * as z from "zod";
import { chooseModel } from "../../models/choose-model.ts";
import { openModel } from "../../models/open-model.ts";
import { randomSession } from "../../../test/support/random-session.ts";

const Blocks = z.array(
  z.looseObject({
    type: z.string(),
    id: z.string().optional(),
    tool_use_id: z.string().optional(),
    text: z.string().optional(),
  }),
);
const Anthropic = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), Blocks]) })),
});

/** Roles alternate, no content is empty, and the results of an answer's calls come first in the next message. */
function anthropicProblems(body: unknown): string[] {
  const { messages } = Anthropic.parse(body);
  const problems: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = typeof content === "string" ? [] : content;
    if (role === messages[index - 1]?.role) problems.push(`${index}: ${role} twice`);
    if (content.length === 0 || blocks.some(({ type, text }) => type === "text" && text?.trim() === ""))
      problems.push(`${index}: empty`);
    const next = messages[index + 1]?.content;
    const used = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
    const results = (typeof next === "string" ? [] : (next ?? [])).flatMap(({ type, tool_use_id: id }) =>
      type === "tool_result" ? [id] : [],
    );
    if (used.length > 0 && used.join() !== results.join())
      problems.push(`${index}: calls ${used.join()} results ${results.join()}`);
  }
  if (messages[0]?.role !== "user") problems.push("does not begin with the user");
  return problems;
}

const Chat = z.looseObject({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.unknown(),
      tool_calls: z
        .array(z.looseObject({ id: z.string(), function: z.looseObject({ arguments: z.string() }) }))
        .optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
});

/** Every list of calls is followed by one tool message for each of them, and there are no other tool messages. */
function chatProblems(body: unknown): string[] {
  const { messages } = Chat.parse(body);
  const problems: string[] = [];
  let waiting: string[] = [];
  for (const [index, { role, tool_calls: made = [], tool_call_id: answered, content }] of messages.entries()) {
    if (role === "tool") {
      if (waiting.shift() !== answered) problems.push(`${index}: an unexpected result`);
      continue;
    }
    if (waiting.length > 0) problems.push(`${index}: calls without results`);
    if (role === "assistant" && made.length === 0 && (content === "" || content === null))
      problems.push(`${index}: empty`);
    for (const call of made) z.record(z.string(), z.unknown()).parse(JSON.parse(call.function.arguments));
    waiting = made.map(({ id }) => id);
  }
  return problems;
}

const Items = z.looseObject({
  input: z.array(z.looseObject({ type: z.string().optional(), call_id: z.string().optional() })),
});

function responsesProblems(body: unknown): string[] {
  const { input } = Items.parse(body);
  const idsOf = (wanted: string) => input.flatMap(({ type, call_id: id }) => (type === wanted ? [id] : []));
  const called = idsOf("function_call");
  const answered = idsOf("function_call_output");
  return called.join() === answered.join() ? [] : [`calls ${called.join()} results ${answered.join()}`];
}

const Contents = z.looseObject({
  contents: z.array(
    z.looseObject({
      role: z.string(),
      parts: z.array(
        z.looseObject({
          functionCall: z.looseObject({ name: z.string() }).optional(),
          functionResponse: z.looseObject({ name: z.string() }).optional(),
        }),
      ),
    }),
  ),
});

/** The responses after an answer match its calls in number and names. */
function googleProblems(body: unknown): string[] {
  const { contents } = Contents.parse(body);
  return contents.flatMap(({ parts }, index) => {
    const called = parts.flatMap(({ functionCall }) => functionCall?.name ?? []);
    const answered = (contents[index + 1]?.parts ?? []).flatMap(({ functionResponse }) => functionResponse?.name ?? []);
    if (parts.length === 0) return [`${index}: empty`];
    return called.length > 0 && called.join() !== answered.join()
      ? [`${index}: ${called.join()} / ${answered.join()}`]
      : [];
  });
}

const CHECKS = {
  anthropic: anthropicProblems,
  openai: responsesProblems,
  "openai-chat": chatProblems,
  compatible: chatProblems,
  google: googleProblems,
};

test.each(Object.entries(CHECKS))(
  "whatever happened in a session, its next request is one that %s accepts",
  async (provider, check) => {
    let body: unknown;
    const send: typeof fetch = async (_, init) => {
      body = JSON.parse(z.string().parse(init?.body));
      return new Response("", { status: 418 });
    };
    const choice = chooseModel({ name: `${provider}/m`, baseUrl: "http://127.0.0.1:9/v1", environment: {} });
    const model = openModel(choice, { idleMs: 20_000, mostBytes: 1e6, send });
    for (let seed = 1; seed <= 300; seed++) {
      const { history } = await randomSession(seed);
      const prompt = { role: "user", text: "And now?", source: "person" } as const;
      const request = { system: "s", history: [...history, prompt], tools: [] };
      await expect(Array.fromAsync(model.ask(request, AbortSignal.timeout(20_000)))).rejects.toThrow("418");
      expect({ seed, problems: check(body) }).toEqual({ seed, problems: [] });
    }
  },
);
