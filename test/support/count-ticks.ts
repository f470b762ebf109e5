// Whether the event loop runs while something is awaited.

/** Returns how often the event loop came round while the work ran; a loop that is blocked comes round once or twice. */
export async function ticksDuring(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  let isOver = false;
  const tick = (): void => {
    ticks += 1;
    // Not at once: a loop that never rests would take the processor from the work.
    if (!isOver) setTimeout(tick, 1);
  };
  setTimeout(tick, 1);
  await work().finally(() => {
    isOver = true;
  });
  return ticks;
}
