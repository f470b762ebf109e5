// Lists the commands that the user has defined, and the resources and prompts of MCP servers, as suggestions.
// Invariant: typing an `@` or `/` reads these lists once; keys are handled without waiting for them.
import type { ChatHost, OwnCommand } from "../chat-host.ts";
import type { ChatStore } from "../chat-store.ts";
import type { McpServer, Runtime } from "../runtime-records.ts";
import type { ServerOffer } from "./completion.ts";
import { mentionAt } from "./mentions.ts";

/** Subscribes to the store, and dispatches the user's commands, and the resources and prompts of all servers that answer. */
export function listOffers(store: ChatStore, { mcp }: Pick<Runtime, "mcp">, host?: ChatHost): void {
  let isBegun = false;
  const offer = (offers: readonly ServerOffer[]): void => {
    if (offers.length > 0) store.dispatch({ type: "set", change: { offers, chosen: null } });
  };
  const show = async (): Promise<void> => {
    const own = ((await host?.listCommands()) ?? []).map(ownOffer);
    offer(own);
    const servers = await mcp.servers();
    if (servers.length > 0) offer([...own, ...servers.flatMap(offersOf)]);
  };
  store.subscribe(() => {
    const { editor } = store.getState();
    const wasBegun = isBegun;
    isBegun = /^\/\S*$/u.test(editor.text) || mentionAt(editor) !== null;
    // `void` is safe: `mcp.servers` does not reject, because a server that has failed is a record in its result.
    if (isBegun && !wasBegun) void show();
  });
}

function ownOffer({ name, form, summary }: OwnCommand): ServerOffer {
  return { kind: "prompt", name, usage: `/${name} ${form}`.trim(), summary, topic: "Own commands" };
}

/** Returns the resources and prompts of a server that can be typed as one word. */
function offersOf({ name: server, resources, prompts }: McpServer): readonly ServerOffer[] {
  const offers = [
    ...resources.map((one) => ({ kind: "resource" as const, word: resourceWord(one), about: one.description })),
    ...prompts.map(({ name, description }) => ({ kind: "prompt" as const, word: name, about: description })),
  ];
  return offers
    .filter(({ word }) => !/[\s"\p{Cc}]/u.test(word))
    .map(({ kind, word, about }) => ({
      kind,
      name: `${server}:${word}`,
      summary: (about ?? "").replaceAll(/\s+/gu, " "),
    }));
}

/** Returns the name of a resource as it is typed after `@server:`; its URI if the name has blanks or quotes. */
export function resourceWord({ name, uri }: McpServer["resources"][number]): string {
  return /[\s"]/u.test(name) ? uri : name;
}
