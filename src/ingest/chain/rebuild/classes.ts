import type { NakamotoBlock } from '../../../base/codec/index.ts';

/** Facts about a block that are not in its bytes. */
interface BlockSituation {
  /** Consensus hash of the burn view of its parent, 0x hex; null if unknown. */
  readonly parentView: string | null;
  /** Height of the burn block that elected its miner. */
  readonly burnBlockHeight: number;
  /** Burn height from which contracts cannot read other blocks (`at-block`) any more; undefined if unknown. */
  readonly atBlockEnds: number | undefined;
  /** Whether tokens of the launch unlock at its height. */
  readonly unlocksTokens: boolean;
}

/** How well a replay reproduces the event of a node (docs/spec/rebuilt-blocks.md#classes). */
type BlockClass =
  | { readonly class: 'A' | 'B' }
  /** Not at all. */
  | { readonly class: 'C'; readonly reason: string };

/** Burn height of mainnet at which epoch 3.4 began. */
export const AT_BLOCK_ENDS_ON_MAINNET = 943_333;

const SHADOW = 0x80;

/** Classifies a block by its bytes and its situation. */
export function classify({ header, transactions }: NakamotoBlock, situation: BlockSituation): BlockClass {
  const payloads = transactions.map(({ transaction: { payload } }) => payload);
  const changes = payloads.filter(payload => payload.kind === 'tenure_change');
  const runs = payloads.some(({ kind }) => kind === 'contract_call' || kind === 'smart_contract');
  if ((header.version & SHADOW) !== 0) return refused('it is a shadow block, which no node can replay');
  if (header.skipped.length > 0)
    return refused('nodes skip some of its transactions, and a replay runs these (skip markers)');
  if (changes.some(({ cause }) => cause === 0))
    return refused('a tenure begins: a replay lacks miner rewards, operations from Bitcoin and the reward set');
  if (payloads.some(({ kind }) => kind === 'coinbase')) return refused('it has a coinbase without a tenure start');
  if (situation.unlocksTokens) return refused('tokens of the launch unlock at its height, which a replay lacks');
  const { atBlockEnds, burnBlockHeight } = situation;
  if (runs && (atBlockEnds === undefined || burnBlockHeight < atBlockEnds))
    return refused('before epoch 3.4 contracts may read other blocks (at-block), which a replay gets wrong');
  const hasNewView = changes.some(({ burnViewConsensusHash }) => burnViewConsensusHash !== situation.parentView);
  if (hasNewView && runs)
    return refused('its tenure extend names a new burn block, and contracts would read the height of the one before');
  return { class: changes.length > 0 ? 'B' : 'A' };
}

const refused = (reason: string): BlockClass => ({ class: 'C', reason });
