// A connection that answers when the test says so, for what a real one does too seldom.
import { type Connection, lostError } from "../../src/store/connection/connection.ts";

export interface FakeChannel extends Connection {
  /** What was sent, in order. */
  readonly sent: string[];
  readonly closed: () => boolean;
  /** The connection goes, as one whose server was killed. */
  lose(): void;
}

// As the driver, it may leave a statement without an answer when the connection goes.

type Answer = (statement: string) => unknown;

/** `answer` gives what a statement resolves to (a promise is waited for), or throws. Default: its first word as the command. */
export function createFakeChannel(answer: Answer = commandOf): FakeChannel {
  const sent: string[] = [];
  let isLost = false;
  let isClosed = false;
  let reportLost: (reason: unknown) => void;
  const lost = new Promise<never>((_, reject) => {
    reportLost = reject;
  });
  lost.catch(() => undefined);
  const answerTo = async (statement: string): Promise<unknown> => answer(statement);
  return {
    sent,
    send(statement) {
      if (isLost) throw lostError();
      sent.push(statement);
      return answerTo(statement) as unknown as ReturnType<Connection["send"]>;
    },
    isLost: () => isLost,
    lost,
    closed: () => isClosed,
    async close() {
      isClosed = true;
      isLost = true;
    },
    lose() {
      isLost = true;
      reportLost(lostError());
    },
  };
}

export function commandOf(statement: string): { readonly command: string } {
  return { command: statement.split(/[ ;]/u)[0]!.toUpperCase() };
}
