import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";

// The least that an agent can do: ask over HTTP, run what is asked for in bash, send back the output. No rules, no log.

const [url] = process.argv.slice(2);
const parameters = { type: "object", properties: { command: { type: "string" } } };
const tools = [{ type: "function", function: { name: "bash", parameters } }];
const messages = [{ role: "user", content: await text(process.stdin) }];

for (let call = await ask(); call.id !== undefined; call = await ask()) {
  const child = spawn("bash", ["-c", JSON.parse(call.input).command], { stdio: ["ignore", "pipe", "ignore"] });
  const [content] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const asked = { id: call.id, type: "function", function: { name: "bash", arguments: call.input } };
  messages.push({ role: "assistant", content: null, tool_calls: [asked] });
  messages.push({ role: "tool", tool_call_id: call.id, content });
}

async function ask() {
  const headers = { "content-type": "application/json" };
  const outgoing = request(`${url}/v1/chat/completions`, { method: "POST", headers });
  outgoing.end(JSON.stringify({ model: "fake-model", stream: true, messages, tools }));
  const [incoming] = await once(outgoing, "response");
  const call = { id: undefined, input: "" };
  for (const line of (await text(incoming)).split("\n")) {
    if (!line.startsWith("data: {")) continue;
    for (const part of JSON.parse(line.slice(6)).choices[0]?.delta.tool_calls ?? []) {
      call.id ??= part.id;
      call.input += part.function.arguments;
    }
  }
  return call;
}
