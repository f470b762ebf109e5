// A chat whose model sends one word and then waits until the test releases it.
import { createHeldModelServer, type HeldModelServer } from "../support/held-model-server.ts";
import { type ChatTerminal, openChat, type ChatTerminalOptions } from "./chat-terminal.ts";

export interface HeldChat {
  readonly terminal: ChatTerminal;
  readonly model: HeldModelServer;
  close(): Promise<void>;
}

export interface HeldChatOptions extends ChatTerminalOptions {
  /** What the model sends when it is asked. */
  readonly first?: object;
}

/** The chat at its prompt. */
export async function openHeldChat(options: HeldChatOptions = {}): Promise<HeldChat> {
  const model = await createHeldModelServer(options.first);
  const args = `-m openai/held --base-url "$MODEL_URL" --embedding none`;
  const env = { ...options.env, MODEL_URL: model.url, OPENAI_API_KEY: "key" };
  try {
    const terminal = await openChat({ ...options, env, args });
    return {
      terminal,
      model,
      async close() {
        await terminal.close();
        await model.close();
      },
    };
  } catch (error) {
    await model.close();
    throw error;
  }
}
