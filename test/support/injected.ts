/** Limits of a server that requests are injected into: all are answered in one turn of the event loop, however many there are. */
export const limits = { maxTurn: Number.POSITIVE_INFINITY };
