// The page follows the chain: it is asked for again when the stream tells of what it shows. Until it can, nothing moves.
export function followChain() {}
