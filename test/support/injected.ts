/** Limits of a server that requests are injected into: all are answered in one turn of the event loop, however many there are. */
export const limits = { maxWait: Number.POSITIVE_INFINITY };
