// Loads the terminal interface, and names the types that the chat expects of its host.
// Invariant: the terminal interface is loaded only to run the chat in a terminal.

/** Starts to load the terminal interface. The caller opens the agent meanwhile: both take about the same time. */
export function loadTerminal() {
  const loading = import("../../terminal/chat.ts");
  // `runTerminalChat` handles a rejection later. Without this handler, Node would report the rejection as unhandled.
  loading.catch(() => undefined);
  return loading;
}

type Host = NonNullable<Parameters<Awaited<ReturnType<typeof loadTerminal>>["runChat"]>[0]["host"]>;
export type EditEnd = Awaited<ReturnType<Host["edit"]>>;
export type ModelOffers = Awaited<ReturnType<Host["listModels"]>>;
export type ClipboardImage = Awaited<ReturnType<Host["readClipboardImage"]>>;
export type OwnCommand = Awaited<ReturnType<Host["listCommands"]>>[number];
export type FolderEntry = Awaited<ReturnType<Host["listFolder"]>>[number];
