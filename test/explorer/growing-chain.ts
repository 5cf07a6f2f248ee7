import type { Database } from '../../src/base/store/database.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { openTestIndex } from '../support/test-index.ts';

/** A chain to which a block is added right before chosen reads of its index. */
export async function openGrowingChain() {
  const fresh = await openFreshOf.sqlite();
  let reads = 0;
  let isDue = (_read: number): boolean => false;
  const database: Database = {
    ...fresh.database,
    read: async (work, sharing) => {
      if (isDue(++reads)) await grow();
      return fresh.database.read(work, sharing);
    },
  };
  const index = await openTestIndex(database);
  const chain = new ChainBuilder();
  let tip = chain.block();
  await index.deliver(tip.burn.delivery, tip.delivery);
  const grow = async () => {
    const due = isDue;
    isDue = () => false; // the reads of the block itself
    tip = chain.block({ parent: tip, txs: [chain.coinbase(), chain.transfer(), chain.transfer()] });
    await index.deliver(tip.burn.delivery, tip.delivery);
    isDue = due;
  };
  return {
    /** The page, while a block arrives before each of its reads that is due. */
    page: async (path: string, due: (read: number) => boolean = () => false) => {
      reads = 0;
      isDue = due;
      const { status, body } = await index.page(path);
      isDue = () => false;
      return { status, body };
    },
    reads: () => reads,
    close: () => fresh.cleanup(),
  };
}
