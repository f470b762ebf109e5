// Serves the modules of core memory as resources, with a notification when a module has changed.
// Invariant: modules without a subscription are not polled, so an idle server does nothing.
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import { isServed, type MemoryConnection } from "./connection.ts";
import type { ListenedResources } from "./listened-resources.ts";
import { readOut } from "./tool-results.ts";

/** Milliseconds between two checks of the modules that a client has subscribed to. */
const watchMs = 2000;

export function moduleUri({ agent, label }: { readonly agent: string; readonly label: string }): string {
  return `palimpsest://agents/${encodeURIComponent(agent)}/core-memory/${encodeURIComponent(label)}`;
}

export function addModuleResources(server: McpServer, connection: MemoryConnection): void {
  const template = new ResourceTemplate("palimpsest://agents/{agent}/core-memory/{label}", {
    list: () => readOut(connection, async (runtime) => ({ resources: await resourcesOf(connection, runtime) })),
  });
  server.registerResource(
    "core-memory",
    template,
    { title: "Core memory", description: "A section of an agent's core memory.", mimeType: "text/plain" },
    (uri) =>
      readOut(connection, async () => {
        const { value } = await sectionAt(connection, uri.href);
        return { contents: [{ uri: uri.href, mimeType: "text/plain", text: value }] };
      }),
  );
  if (connection.listened !== undefined) watchSubscribed(server, connection, connection.listened);
}

async function resourcesOf(connection: MemoryConnection, runtime: Awaited<MemoryConnection["runtime"]>) {
  const agents = (await runtime.agents.list()).filter(({ name }) => isServed(connection, name));
  const sections = await Promise.all(
    agents.map(async ({ name: agent }) =>
      (await runtime.memory.show(agent)).map(({ label, description, length }) => ({
        uri: moduleUri({ agent, label }),
        name: `${agent}/${label}`,
        mimeType: "text/plain",
        size: length,
        ...(description === null ? {} : { description }),
      })),
    ),
  );
  return sections.flat();
}

async function sectionAt(connection: MemoryConnection, uri: string) {
  const runtime = await connection.runtime;
  const [, ...parts] = /^palimpsest:\/\/agents\/([^/]+)\/core-memory\/([^/]+)$/u.exec(uri) ?? [];
  const [agent, wanted] = parts.map((part) => decodeURIComponent(part));
  if (agent !== undefined && isServed(connection, agent)) {
    const agents = await runtime.agents.list({ name: agent });
    const modules = agents.length === 0 ? [] : await runtime.memory.show(agent);
    const module = modules.find(({ label }) => label === wanted);
    if (module !== undefined) return module;
  }
  throw new ResourceNotFoundError(uri);
}

/** Returns the revision of a module; null if there is no such module. */
async function revisionAt(connection: MemoryConnection, uri: string): Promise<number | null> {
  try {
    return (await sectionAt(connection, uri)).revision;
  } catch (error) {
    if (error instanceof ResourceNotFoundError) return null;
    throw error;
  }
}

/** Sends `resources/updated` for modules that a client follows, by `resources/subscribe` or by `subscriptions/listen`. */
function watchSubscribed(server: McpServer, connection: MemoryConnection, listened: ListenedResources): void {
  /**
   * The last known revision by URI. Null makes the first check send a notification: the module may have changed since the
   * client subscribed.
   */
  const revisions = new Map<string, number | null>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const look = async (): Promise<void> => {
    for (const [uri, known] of revisions) {
      const revision = await revisionAt(connection, uri);
      if (revision === null || revision === known || !revisions.has(uri)) continue;
      revisions.set(uri, revision);
      await server.server.sendResourceUpdated({ uri });
    }
  };
  const schedule = (): void => {
    clearTimeout(timer);
    if (revisions.size === 0 || isClosed) return;
    // A failed check is repeated, because the database may be unavailable for a moment.
    timer = setTimeout(
      () =>
        void look()
          .catch(() => undefined)
          .finally(schedule),
      watchMs,
    );
    timer.unref();
  };
  listened.watch((uris) => {
    for (const uri of revisions.keys()) if (!uris.includes(uri)) revisions.delete(uri);
    for (const uri of uris) if (!revisions.has(uri)) revisions.set(uri, null);
    schedule();
  });
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    revisions.set(uri, (await sectionAt(connection, uri)).revision);
    schedule();
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    revisions.delete(uri);
    schedule();
    return {};
  });
  server.server.onclose = () => {
    isClosed = true;
    revisions.clear();
    clearTimeout(timer);
  };
}
