import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Image } from "../../../contract/message.ts";

/** An editor's prompt as text and images. A link is included by name, so that the model can read it with its tools. */
export function promptContent(blocks: readonly ContentBlock[]): { readonly text: string; readonly images: Image[] } {
  const texts: string[] = [];
  const images: Image[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "image":
        images.push({ mediaType: block.mimeType, base64: block.data });
        break;
      case "resource_link":
        texts.push(`[${block.name}](${block.uri})`);
        break;
      case "resource":
        if ("text" in block.resource)
          texts.push(`<file uri=${JSON.stringify(block.resource.uri)}>\n${block.resource.text}\n</file>`);
        else texts.push(`[a binary resource: ${block.resource.uri}]`);
        break;
      case "audio":
        texts.push("[audio is not supported]");
        break;
    }
  }
  return { text: texts.join("\n"), images };
}
