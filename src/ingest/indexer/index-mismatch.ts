import { AppError } from '../../base/lib/app-error.ts';
import { chainIdText } from '../chain/witness.ts';

/** An index that this program, called like this, must not touch. */
export class IndexMismatch extends AppError {
  override readonly name = 'IndexMismatch';
  override readonly kind = 'operator';

  constructor(message: string, hint: string) {
    super(message, { hint });
  }
}

/** For an index of another chain. */
export const wrongChain = (foundId: number, wantedId: number): IndexMismatch => {
  const [found, wanted] = [chainIdText(foundId), chainIdText(wantedId)];
  return new IndexMismatch(
    `this index holds chain ${found}, not ${wanted}`,
    `Use --chain-id ${found}, or another --data directory or --database. If the index is of the wrong network (stacks-index verify reports that), build it anew: stacks-index reindex --chain-id ${wanted}.`,
  );
};
