// `/mcp login NAME` and `/mcp logout NAME`: the user's sign-in to an MCP server.
// Invariant: the command ends with the sign-in, or cancels it.
import { signInDialog } from "../dialogs/sign-in-dialog.ts";
import { type CommandContext, type CommandOutcome, noteOutcome } from "./command.ts";

export async function login(
  { runtime, open, openAddress, signal }: CommandContext,
  server: string,
): Promise<CommandOutcome> {
  const { address, ended, finish, cancel } = await runtime.mcp.signIn(server);
  try {
    const isOpened = (await openAddress?.(address)) ?? false;
    const over = new AbortController();
    const isSignedIn = ended.then(() => true);
    const close = (): void => over.abort();
    isSignedIn.then(close, close);
    const typed = await open(signInDialog({ server, address, isOpened, finish }), over.signal);
    signal.throwIfAborted();
    if (typed === null && !over.signal.aborted) return noteOutcome("The sign-in was cancelled.");
    await isSignedIn;
    return noteOutcome(`You are signed in to ${server}.`, "/mcp shows its tools.");
  } finally {
    cancel();
  }
}

export async function logout({ runtime }: CommandContext, server: string): Promise<CommandOutcome> {
  const wasSignedIn = await runtime.mcp.signOut(server);
  return noteOutcome(wasSignedIn ? `You are signed out of ${server}.` : `You were not signed in to ${server}.`);
}
