// Waiting for what another process, server or timer does.

/** Waits until it holds; a test that waits in vain runs into its time limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Waits for a later millisecond: the database rounds times to milliseconds, so rows of the same one have no order. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  do await new Promise((resolve) => setTimeout(resolve, 2));
  while (Date.now() < now + 2);
}
