import { dropOldIndexes } from '../../operate/storage/drop-old.ts';
import { openJournal, openJournalToRead } from '../../operate/storage/storage.ts';
import type { Options } from '../options/options.ts';

/** `stacks-index drop-old` @returns the exit status */
export async function dropOld(options: Options): Promise<number> {
  await (await openJournalToRead(options)).journalDb.close(); // before anything is made
  const place = await openJournal(options);
  let [count, total] = [0, 0];
  try {
    await dropOldIndexes(place, ({ name, bytes }) => {
      process.stdout.write(`${name}\t${bytes} bytes\n`);
      count++;
      total += bytes;
    });
  } finally {
    await place.journalDb.close();
  }
  process.stdout.write(count === 0 ? 'no other release has an index here\n' : `freed: ${total} bytes\n`);
  return 0;
}
