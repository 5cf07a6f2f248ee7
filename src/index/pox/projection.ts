import type { PoxEvent } from '../../base/codec/index.ts';
import { hexBytes } from '../../base/lib/hex.ts';
import { storableHeight } from '../../base/store/values.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { EntryOf } from '../../ingest/indexer/tables.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { type PoxPrint, poxPrints } from './prints.ts';
import { addRewardSet } from './signers.ts';
import { addChoices, countStackers } from './stackers.ts';
import { addSignerKeys, choicesOfStakers, stakingFacts } from './staking.ts';
import {
  ALL_POX_EVENTS,
  DELEGATIONS_TO_POOL,
  delegationList,
  EVENTS_OF_CONTRACT,
  EVENTS_OF_STACKER,
  PAST_POX_OPERATORS,
  PAST_POX_STACKERS,
  POX_CYCLE_STAKES,
  POX_CYCLES,
  POX_OPERATORS,
  POX_SIGNER_KEYS,
  POX_STACKER_COUNTS,
  POX_STACKERS,
  SIGNERS_OF_CYCLE,
  stackerList,
} from './tables.ts';

/**
 * Reward sets, prints of the PoX contracts, and data derived from them: delegations, stackers by cycle (getPoxCycleSignersV2,
 * getPoolDelegationsV1, getPoxCycleSignerV2).
 */
export const poxProjection: Projection = {
  name: 'pox',
  stateTables: [POX_CYCLES, POX_STACKERS, POX_STACKER_COUNTS, POX_CYCLE_STAKES, POX_OPERATORS, POX_SIGNER_KEYS],
  keptTables: [],
  lists: [
    ALL_POX_EVENTS,
    EVENTS_OF_CONTRACT,
    EVENTS_OF_STACKER,
    DELEGATIONS_TO_POOL,
    SIGNERS_OF_CYCLE,
    PAST_POX_STACKERS,
    PAST_POX_OPERATORS,
  ],

  prepare(block: BlockFacts, workspace: Workspace, network: Network) {
    const { height, txs, rewardSet } = block;
    const prints = poxPrints({ txs }, network);
    if (prints.length === 0 && !rewardSet) return undefined;
    const delegations = prints.map(delegationOf);
    workspace.loadLists(ALL_POX_EVENTS, ['']);
    workspace.loadLists(
      EVENTS_OF_CONTRACT,
      prints.map(({ contract }) => contract),
    );
    workspace.loadLists(
      EVENTS_OF_STACKER,
      prints.flatMap(({ contract, event }) => (event ? [stackerList(contract, event.stacker)] : [])),
    );
    workspace.loadLists(DELEGATIONS_TO_POOL, new Set(delegations.flatMap(delegation => delegation?.list ?? [])));
    return async () => {
      addPrints(prints, delegations, height, workspace);
      await countStackers(
        prints.flatMap(({ contract, event }) => (contract === 'pox-4' && event ? [event] : [])),
        workspace,
      );
      const staking = stakingFacts(prints);
      await addChoices(choicesOfStakers(staking), workspace);
      await addSignerKeys(staking, height, workspace);
      await addRewardSet(block, workspace, network);
    };
  },
};

function addPrints(
  prints: readonly PoxPrint[],
  delegations: readonly (Delegation | undefined)[],
  height: number,
  workspace: Workspace,
): void {
  for (const [i, print] of prints.entries()) {
    const { contract, event } = print;
    const seq = workspace.append(ALL_POX_EVENTS, '', printEntry(print, height));
    if (event) {
      workspace.append(EVENTS_OF_CONTRACT, contract, { event: seq });
      workspace.append(EVENTS_OF_STACKER, stackerList(contract, event.stacker), { event: seq });
    }
    const delegation = delegations[i];
    if (!delegation) continue;
    const { list, stacker, untilBurnHeight, revoked } = delegation;
    workspace.append(DELEGATIONS_TO_POOL, list, {
      height,
      stacker,
      until_burn_height: untilBurnHeight,
      revoked: revoked ? 1 : 0,
      event: seq,
    });
  }
}

/** The row of a print. */
export const printEntry = (
  { contract, txId, txIndex, eventIndex, event, value }: PoxPrint,
  height: number,
): EntryOf<typeof ALL_POX_EVENTS> => ({
  contract,
  height,
  tx_id: hexBytes(txId),
  tx_index: txIndex,
  event_index: eventIndex,
  event: event && eventText(event),
  raw: value,
});

interface Delegation {
  readonly list: string;
  readonly stacker: string;
  readonly untilBurnHeight: number | null;
  readonly revoked: boolean;
}

function delegationOf({ contract, event }: PoxPrint): Delegation | undefined {
  if (event?.name !== 'delegate-stx' && event?.name !== 'revoke-delegate-stx') return undefined;
  const list = delegationList(contract, event.data.delegateTo);
  if (event.name === 'revoke-delegate-stx')
    return { list, stacker: event.stacker, untilBurnHeight: null, revoked: true };
  const { unlockBurnHeight: until } = event.data;
  return {
    list,
    stacker: event.stacker,
    untilBurnHeight: until === null ? null : storableHeight(until),
    revoked: false,
  };
}

const eventText = (event: PoxEvent): string =>
  JSON.stringify(event, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
