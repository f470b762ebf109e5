// Says once that a model gets no temperature, because it refuses one: always, or while it thinks.

/** Returns a function that compares a temperature that was asked for with the body that is sent. */
export function createTemperatureNote(
  name: string,
  log: (line: string) => void,
): (asked: number, body: { readonly temperature?: unknown }) => void {
  let isSaid = false;
  return (asked, body) => {
    if (isSaid || body.temperature !== undefined) return;
    isSaid = true;
    log(`${name} refuses a temperature, at least with this effort: ${asked} is not sent.`);
  };
}
