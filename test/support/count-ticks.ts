// Whether the event loop runs while something is awaited.

/** Returns how often the event loop came round while the work ran; a loop that is blocked comes round once or twice. */
export async function ticksDuring(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  let isOver = false;
  const tick = (): void => {
    ticks += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await work().finally(() => {
    isOver = true;
  });
  return ticks;
}
