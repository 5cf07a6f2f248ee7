/**
 * How records of transactions, prints and events are stored: as JSON, without the texts that most of them share. A record becomes a head,
 * which lists the shared texts and their places, and the remaining characters. It takes less than half the space, and restoring
 * the texts costs less than a microsecond (bench/notes/2026-11.md).
 *
 *     head: its length, then pairs of (characters up to the text, number of the text), each one character above 0
 */
import { FAR, LARGEST, SHARED } from './shared-texts.ts';

/** Numbers of the shared texts directly before a transaction's place. */
const BEFORE_SEQUENCE = 1;
const BEFORE_INDEX = 6;
/** In the first of the shared texts: of what no microblock has. */
const NO_SEQUENCE = 2_147_483_647;

/** A record as it is served, from what packRecord gave. */
export function unpackRecord(packed: string): string {
  const headEnd = packed.charCodeAt(0);
  let json = '';
  let from = headEnd;
  let to = headEnd;
  for (let at = 1; at < headEnd; at++) {
    const distance = packed.charCodeAt(at);
    if (distance === FAR) {
      to += LARGEST - 1;
      continue;
    }
    to += distance - 1;
    json += packed.slice(from, to);
    json += SHARED[packed.charCodeAt(++at) - 1]; // a text that only grows at its end is the fastest to copy
    from = to;
  }
  return json + packed.slice(from);
}

/** Where a transaction is in its block, from its record. */
export interface IndexInBlock {
  readonly microblockSequence: number;
  readonly txIndex: number;
}

/** Where the transaction of a packed record is in its block. In most records that follows a shared text, and the record need not be unpacked. */
export function unpackIndexInBlock(packed: string): IndexInBlock {
  const txIndex = textAfter(packed, BEFORE_INDEX);
  if (txIndex === undefined || textAfter(packed, BEFORE_SEQUENCE) === undefined) {
    const tx = JSON.parse(unpackRecord(packed)) as { readonly microblock_sequence: number; readonly tx_index: number };
    return { microblockSequence: tx.microblock_sequence, txIndex: tx.tx_index };
  }
  return { microblockSequence: NO_SEQUENCE, txIndex: Number.parseInt(txIndex, 10) };
}

/** What follows a shared text, up to the next one, 125 characters at most; undefined if the record was packed without it. */
function textAfter(packed: string, text: number): string | undefined {
  const headEnd = packed.charCodeAt(0);
  let from = headEnd;
  for (let at = 1; at < headEnd; at++) {
    const distance = packed.charCodeAt(at);
    if (distance === FAR) {
      from += LARGEST - 1;
      continue;
    }
    from += distance - 1;
    if (packed.charCodeAt(++at) !== text) continue;
    const next = at + 1 < headEnd ? packed.charCodeAt(at + 1) : FAR;
    return packed.slice(from, from + Math.min(next, LARGEST) - 1);
  }
  return undefined;
}
