import { decodePoxEvent, type PoxEvent } from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';
import { addChoices, countStackers } from '../../../index/pox/stackers.ts';
import { addSignerKeys, choicesOfStakers, stakingFacts } from '../../../index/pox/staking.ts';
import {
  PAST_POX_OPERATORS,
  PAST_POX_STACKERS,
  POX_CYCLE_STAKES,
  POX_EVENTS,
  POX_OPERATORS,
  POX_SIGNER_KEYS,
  POX_STACKER_COUNTS,
  POX_STACKERS,
} from '../../../index/pox/tables.ts';
import type { Network } from '../../../ingest/chain/network.ts';
import type { Check, Context, Finding } from '../check.ts';
import { compareRows, LoadedRows, MadeRows } from '../made-rows.ts';
import { tableRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';

const VERSIONS = [PAST_POX_STACKERS, PAST_POX_OPERATORS];
const TABLES = [POX_STACKERS, POX_STACKER_COUNTS, POX_CYCLE_STAKES, POX_OPERATORS, POX_SIGNER_KEYS];

export const stackersCheck: Check = {
  name: 'who stacks',
  proves:
    'the stackers of each cycle, their signers and amounts, and the keys of operators and managers, are and were at each height those of the prints',
  recounts: VERSIONS,
  run: context => withSpillingMap(made => withRecount(past => compare(made, past, context))),
};

async function* compare(made: SpillingMap, past: Recount, context: Context): AsyncIterable<Finding> {
  const kept = new MadeRows(made, past, VERSIONS);
  const rows = new LoadedRows(kept);
  for await (const { height, events, staking } of blocksOf(context)) {
    kept.atHeight(height);
    await countStackers(events, rows);
    await addChoices(choicesOfStakers(staking), rows);
    await addSignerKeys(staking, height, rows);
    await rows.flush();
  }
  yield* compareRows(TABLES, made, context, 'the prints');
  yield* past.compare(VERSIONS, context.index);
}

/** The prints of a block about stackers, of PoX 4 and of PoX 5. */
interface PrintsOfBlock {
  readonly height: number;
  readonly events: PoxEvent[];
  readonly staking: ReturnType<typeof stakingFacts>[number][];
}

/** Of the blocks with prints, in order, as the index has them. */
async function* blocksOf({ index, network }: Context): AsyncIterable<PrintsOfBlock> {
  let block: PrintsOfBlock | undefined;
  for await (const print of tableRows(index, POX_EVENTS, ['contract', 'height', 'tx_id', 'raw'])) {
    if (block && block.height !== print.height) yield block;
    if (block?.height !== print.height) block = { height: print.height, events: [], staking: [] };
    const { contract, tx_id, raw } = print;
    block.staking.push(...stakingFacts([{ contract, txId: toHex(tx_id), value: raw }]));
    if (contract === 'pox-4') block.events.push(...eventOf(raw, network));
  }
  if (block) yield block;
}

function eventOf(raw: Uint8Array, network: Network): PoxEvent[] {
  const event = decodePoxEvent(raw, network);
  return event.ok && event.value ? [event.value] : [];
}
