// Lists the resources and prompts of an MCP server, and reads their content as files for a message.
// Invariant: content of a server is always attached as a file, so it has the limits of files and the trust class `external`.
import type { Client, ReadResourceResult } from "@modelcontextprotocol/client";
import { messageOf } from "../../base/thrown-values.ts";
import { RequestError } from "../../base/errors.ts";
import type { FileInput } from "../../base/message/file-part.ts";
import { bounds } from "./bounds.ts";
import { endingOf, fileOf, namedFile, textsOf } from "./call-result.ts";
import { listPages } from "./open-client.ts";
import type { ServerConnection } from "./server-connection.ts";

/**
 * Returns the resources and prompts that people can choose. An unreadable list is empty, and `problems` has the reason.
 */
export async function listOffers({ connection }: { readonly connection: ServerConnection }) {
  const [resources, prompts] = await Promise.all([
    orNone(() => connection.use((client) => listPages(client, "resources/list"))),
    orNone(() => connection.use((client) => listPages(client, "prompts/list"))),
  ]);
  return {
    problems: [...resources.problems, ...prompts.problems],
    resources: resources.entries.slice(0, bounds.offers).map(({ uri, name, description }) => {
      return { uri, name, description: description ?? null };
    }),
    prompts: prompts.entries.slice(0, bounds.offers).map(({ name, description, arguments: parameters = [] }) => ({
      name,
      description: description ?? null,
      arguments: parameters.map((one) => {
        return { name: one.name, description: one.description ?? null, isRequired: one.required === true };
      }),
    })),
  };
}

async function orNone<Entry>(
  list: () => Promise<{ readonly entries: readonly Entry[]; readonly problems: readonly string[] }>,
) {
  try {
    return await list();
  } catch (error) {
    return { entries: [], problems: [messageOf(error)] };
  }
}

export interface OfferingServer {
  readonly name: string;
  readonly connection: ServerConnection;
}

export async function readResource(server: OfferingServer, resource: string): Promise<readonly FileInput[]> {
  const { contents } = await asked(server, resource, async (client) => {
    const { entries } = await listPages(client, "resources/list");
    const known = entries.find(({ uri, name }) => uri === resource || name === resource);
    // A URI that is not in the list is accepted, because servers do not list the resources of their URI templates.
    if (known === undefined && !URL.canParse(resource)) throw unknownName(server.name, "resource", resource, entries);
    return client.readResource({ uri: known?.uri ?? resource }, waits());
  });
  if (contents.length === 0) throw unreadable(server.name, resource, "it is empty");
  return contents.map(resourceFile);
}

type Content = ReadResourceResult["contents"][number];

function resourceFile(content: Content): FileInput {
  const name = content.uri.split(/[/\\?#]/u).findLast((part) => part !== "") ?? "resource";
  if ("text" in content) return { data: Buffer.from(content.text, "utf8"), name, mediaType: textType(content) };
  return namedFile({ base64: content.blob, mediaType: content.mimeType }, name);
}

/** Returns the media type of a text: `text/plain` if the server states no type of text. */
function textType({ mimeType }: Pick<Content, "mimeType">): string {
  return mimeType?.startsWith("text/") === true ? mimeType : "text/plain";
}

export async function readPrompt(
  server: OfferingServer,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<readonly FileInput[]> {
  const { messages } = await asked(server, name, async (client) => {
    const { entries } = await listPages(client, "prompts/list");
    const known = entries.find((prompt) => prompt.name.toLowerCase() === name.toLowerCase());
    if (known === undefined) throw unknownName(server.name, "prompt", name, entries);
    checkArguments(`${server.name}:${known.name}`, known.arguments ?? [], args);
    return client.getPrompt({ name: known.name, arguments: { ...args } }, waits());
  });
  const blocks = messages.map(({ content }) => content);
  const text = messages.flatMap(({ role, content }) => textsOf(content).map((said) => `${role}: ${said}`)).join("\n\n");
  const files = blocks.flatMap(fileOf).map((file, at) => namedFile(file, `${name}-${at + 1}.${endingOf(file)}`));
  if (text === "" && files.length === 0) throw unreadable(server.name, name, "it is empty");
  const said: readonly FileInput[] =
    text === "" ? [] : [{ data: Buffer.from(text, "utf8"), name: `${name}.txt`, mediaType: "text/plain" }];
  return [...said, ...files];
}

function checkArguments(
  prompt: string,
  parameters: readonly { readonly name: string; readonly required?: boolean | undefined }[],
  args: Readonly<Record<string, string>>,
): void {
  const missing = parameters.filter(({ name, required }) => required === true && !Object.hasOwn(args, name));
  const unknown = Object.keys(args).filter((key) => !parameters.some(({ name }) => name === key));
  if (missing.length === 0 && unknown.length === 0) return;
  const known = parameters.map(({ name, required }) => (required === true ? name : `${name} (optional)`)).join(", ");
  throw new RequestError(
    "input_invalid",
    `${prompt}: expected the arguments ${known || "none"}, got ${Object.keys(args).join(", ") || "none"}. Nothing was sent.`,
  );
}

async function asked<Result>(
  { name, connection }: OfferingServer,
  wanted: string,
  ask: (client: Client) => Promise<Result>,
): Promise<Result> {
  try {
    return await connection.use(ask);
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw unreadable(name, wanted, messageOf(error), error);
  }
}

function waits() {
  return { timeout: bounds.callMs, maxTotalTimeout: bounds.callMs };
}

function unreadable(server: string, wanted: string, reason: string, cause?: unknown): RequestError {
  const shown = wanted.slice(0, 200).toWellFormed();
  const message = `${shown} of the MCP server ${server} cannot be attached: ${reason}. Nothing was sent.`;
  return new RequestError("file_unreadable", message, ...(cause === undefined ? [] : [{ cause }]));
}

function unknownName(
  server: string,
  kind: "resource" | "prompt",
  wanted: string,
  known: readonly { readonly name: string }[],
): RequestError {
  const names = known.map(({ name }) => name).slice(0, 20);
  return unreadable(server, wanted, `the server has no such ${kind}. Its ${kind}s: ${names.join(", ") || "none"}`);
}
