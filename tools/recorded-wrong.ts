import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

/**
 * Recorded answers that no index can give, and how they are checked all the same. docs/compatibility.md has the proofs.
 *
 * 1. The clock of the recording. The API that was recorded gave transactions of streamed microblocks the time of its own
 *    clock as `block_time`: later than any block of the chain. They are compared with the time of the chain instead.
 * 2. The order of equals. Boot transactions share their numbers with the first transactions of block 1, and E3 lists them
 *    in the order in which a sort happened to leave them. Such lists are compared as sets of equal places.
 */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Nothing in the archives is as young; all recordings are. 20 November 2026, 00:00 UTC. */
const RECORDING_DAY = 1795132800;
const ANCHORED = 2147483647;

/** Writes a copy of the recording in which times of the recording's clock are times of the chain. @returns how many answers changed */
export function withoutClock(recording: string, copy: string): number {
  const lines = gunzipSync(readFileSync(recording)).toString().trim().split('\n');
  let changed = 0;
  const corrected = lines.map(line => {
    const recorded = JSON.parse(line) as { body: Json };
    const body = correct(recorded.body);
    if (JSON.stringify(body) === JSON.stringify(recorded.body)) return line;
    changed++;
    return JSON.stringify({ ...recorded, body });
  });
  writeFileSync(copy, gzipSync(`${corrected.join('\n')}\n`, { level: 1 }));
  return changed;
}

function correct(value: Json): Json {
  if (Array.isArray(value)) return value.map(correct);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, correct(item)]));
  const { block_time, microblock_sequence } = copy;
  if (typeof block_time !== 'number' || block_time < RECORDING_DAY) return copy;
  if (typeof microblock_sequence !== 'number' || microblock_sequence === ANCHORED) return copy;
  const time = copy.is_unanchored === true ? copy.parent_burn_block_time : copy.burn_block_time;
  if (typeof time === 'number')
    Object.assign(copy, { block_time: time, block_time_iso: new Date(time * 1000).toISOString() });
  return copy;
}

/** Whether two lists of transaction ids differ only in the order of transactions with equal places. */
export function equalPlaces(recording: string, recordedIds: readonly string[], ids: readonly string[]): boolean {
  const places = placesOf(recording);
  const place = (id: string | undefined) => (id === undefined ? undefined : places.get(id));
  return (
    recordedIds.length === ids.length &&
    new Set([...recordedIds, ...ids]).size === ids.length &&
    recordedIds.every((id, i) => place(id) !== undefined && place(id) === place(ids[i]))
  );
}

/** Where each recorded transaction stands in its block. */
function placesOf(recording: string): Map<string, string> {
  const places = new Map<string, string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      if (typeof value.tx_id === 'string' && 'tx_index' in value) {
        places.set(value.tx_id, `${value.block_height}/${value.microblock_sequence}/${value.tx_index}`);
      }
      Object.values(value).forEach(visit);
    }
  };
  for (const line of gunzipSync(readFileSync(recording)).toString().trim().split('\n'))
    visit((JSON.parse(line) as { body: Json }).body);
  return places;
}
