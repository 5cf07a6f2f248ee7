import type { Recorded } from '../../test/support/recording.ts';
import { type Correction, readEvidence } from './evidence.ts';
import { addressCorrections } from './recorded-addresses.ts';
import { balanceCorrections } from './recorded-balances.ts';
import { blockCorrections } from './recorded-blocks.ts';
import { burnchainCorrections } from './recorded-burnchain.ts';
import { newestCursors } from './recorded-cursors.ts';
import { nameCorrections } from './recorded-names.ts';
import { orphanedBurnBlock } from './recorded-orphans.ts';
import type { TxRecord } from './recorded-pending.ts';
import { transactionCorrections } from './recorded-transactions.ts';

const CORRECTIONS: readonly Correction[] = [
  ...blockCorrections,
  ...burnchainCorrections,
  ...addressCorrections,
  ...balanceCorrections,
  ...nameCorrections,
  ...transactionCorrections,
  orphanedBurnBlock,
  newestCursors,
];

/** Corrects the recording of the sibling routes. @returns the responses to compare with, and how many were changed by each correction */
export async function correctSiblings(
  recording: readonly Recorded[],
  archive: string,
  wronglyReplaced: readonly TxRecord[],
): Promise<{
  readonly responses: readonly Recorded[];
  readonly corrected: Readonly<Record<string, number>>;
}> {
  const evidence = await readEvidence(archive, recording, wronglyReplaced);
  const corrected: Record<string, number> = {};
  const responses = recording.map(recorded =>
    CORRECTIONS.reduce((response, { reason, correct }) => {
      const better = correct(response, evidence);
      if (better) corrected[reason] = (corrected[reason] ?? 0) + 1;
      return better ?? response;
    }, recorded),
  );
  return { responses, corrected };
}
