import { otherNetwork } from '../../ingest/chain/witness.ts';
import type { IndexerInput } from '../../ingest/indexer/apply-entries.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import type { EventError } from '../../ingest/node/events/json.ts';
import { parseEvent } from '../../ingest/node/events/parse.ts';
import type { Options } from '../options/options.ts';

/** Some lines were skipped. They are named on stderr, and the rest is loaded. */
const EXIT_INCOMPLETE = 3;
/** With --strict a line that cannot be read stops the load. */
export const EXIT_STRICT = 1;

export interface Counts {
  read: number;
  added: number;
  /** Why lines could not be read, by line number. */
  readonly bad: Map<number, string>;
  /** Of the first line that is of another network; what follows it is not read. */
  refused?: { readonly line: number; readonly error: EventError };
}

/** Bad lines that are named. */
export const SHOWN_BAD_LINES = 20;

export type RowOptions = Pick<Options, 'strict' | 'maxEventBytes' | 'maxEventNesting'>;
type EventRow = Extract<ArchiveRow, { kind: 'event' }>;

/**
 * The rows that can be read, with their events; with --strict, none if a line cannot be read.
 * @param chainId ends them before the first row of another network, which is noted
 */
export function deliveriesOf(
  rows: readonly EventRow[],
  { strict, maxEventBytes: maxBodyBytes, maxEventNesting: maxNesting }: RowOptions,
  counts: Counts,
  chainId?: number,
): Omit<IndexerInput, 'seq'>[] {
  const { bad } = counts;
  const deliveries: Omit<IndexerInput, 'seq'>[] = [];
  for (const { line, path, receivedAt, body } of rows) {
    const event = parseEvent(path, body, { maxBodyBytes, maxNesting });
    const error = event.ok && chainId !== undefined ? otherNetwork(event.value, chainId) : undefined;
    if (error) {
      counts.refused = { line, error };
      break;
    }
    if (!event.ok) bad.set(line, event.error.message);
    else if (event.value.path !== 'acknowledged') deliveries.push({ path, receivedAt, body, event: event.value });
  }
  return strict && bad.size > 0 ? [] : deliveries;
}

/** Names lines that could not be read on stderr. @returns the exit status */
export function reportBadLines(file: string, bad: Counts['bad'], strict: boolean): number {
  if (bad.size === 0) return 0;
  for (const [line, reason] of [...bad].slice(0, SHOWN_BAD_LINES)) process.stderr.write(`${file}:${line}: ${reason}\n`);
  const more = bad.size > SHOWN_BAD_LINES ? ` (the first ${SHOWN_BAD_LINES} are shown)` : '';
  process.stderr.write(
    strict
      ? `Stopped: ${bad.size} line(s) cannot be read${more}. Without --strict they are skipped and the rest is loaded.\n`
      : `${bad.size} line(s) were skipped${more}; the rest is loaded.\n`,
  );
  return strict ? EXIT_STRICT : EXIT_INCOMPLETE;
}
