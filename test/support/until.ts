// Waiting for what another process, server or timer does.

/** Waits until it holds; a test that waits in vain runs into its time limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
