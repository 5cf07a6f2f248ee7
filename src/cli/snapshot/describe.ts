import { chainOf, endOf, type SnapshotHeader } from '../../operate/copy/snapshot/header.ts';
import { rebuiltText } from '../../operate/gaps/rebuilt-text.ts';

/** Chain, tip, events and version of a snapshot. @param seconds that it took; left out for a snapshot that is only described */
export function describeSnapshot(
  done: 'created' | 'found' | 'restored' | 'published',
  header: SnapshotHeader,
  seconds?: number,
): string {
  const { program, schemaVersion, createdAt, tip, position, journalLength, rebuilt, stateHash, parts } = header;
  const bytes = endOf(parts);
  return `${done}: ${bytes} bytes${seconds === undefined ? '' : ` in ${Math.round(seconds)} s`}
  chain:   ${chainOf(header)}
  tip:     ${tip ? `${tip.height} ${tip.indexBlockHash}` : 'none'}
  events:  ${journalLength}, of which ${position} are indexed
${stateHash === undefined ? '' : `  state:   ${stateHash}\n`}  made by: stacks-index ${program}, schema version ${schemaVersion}, ${createdAt}
${rebuilt ? `  note:    ${rebuiltText(rebuilt)}\n` : ''}`;
}
