// How long a queued input counts as one whose sender waits.
// Invariant: as long as it does, later inputs of the conversation wait behind it, and it is answered in a turn of its own.

/** A sender that has not asked for so long counts as gone, and its input is taken up by the next. */
export const senderPatienceMs = 5000;

/** Milliseconds that an input of which servers take care waits for one of them, when its sender is gone. */
export const adoptionMs = 30_000;

/** SQL: until when an input in the table `inputs` waits, whose sender has asked now. */
export const waitsUntil = `now() + (${senderPatienceMs} + case when is_served then ${adoptionMs} else 0 end) * interval '1 millisecond'`;
