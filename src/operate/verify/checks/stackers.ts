import { decodePoxEvent } from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type Choice, choicesOf, commitmentsOf, type Departure } from '../../../index/pox/stackers.ts';
import { choicesOfStakers, stakingFacts } from '../../../index/pox/staking.ts';
import { POX_EVENTS, POX_OPERATORS, POX_SIGNER_KEYS, POX_STACKERS } from '../../../index/pox/tables.ts';
import { type Check, type Context, wrong } from '../check.ts';
import { tableRows } from '../pages.ts';
import type { SpillingMap } from '../spilling-map.ts';

export const stackersCheck: Check = {
  name: 'who stacks',
  proves:
    'the stackers of each cycle, their signers and amounts, and the keys of operators and managers, match the prints',
  async *run(context) {
    const stackers = context.newMap();
    const keys = context.newMap();
    await replay(stackers, keys, context);
    const { index } = context;
    for await (const row of tableRows(index, POX_STACKERS, ['represented_by', 'rank', 'pox_address', 'in_bond'])) {
      const { cycle, role, stacker } = row;
      const expected = await stackers.take(stackerKey(row));
      if (expected !== choiceText(row))
        yield wrong(`pox_stackers: ${stacker} in cycle ${cycle}, role ${role}, differs from the prints`);
    }
    for await (const [place] of stackers.entries()) yield wrong(`pox_stackers: ${place} is missing`);
    for await (const { cycle, operator, signing_key } of tableRows(index, POX_OPERATORS, ['signing_key']))
      if ((await keys.take(`cycle ${cycle} ${operator}`)) !== signing_key)
        yield wrong(`pox_operators: ${operator} has another key in cycle ${cycle} than in the prints`);
    for await (const { manager, height, signing_key, tx_id } of tableRows(index, POX_SIGNER_KEYS, [
      'signing_key',
      'tx_id',
    ]))
      if ((await keys.take(`height ${height} ${manager}`)) !== `${signing_key} ${toHex(tx_id)}`)
        yield wrong(`pox_signer_keys: ${manager} has another key at height ${height} than in the prints`);
    for await (const [place] of keys.entries()) yield wrong(`pox_operators, pox_signer_keys: ${place} is missing`);
  },
};

/** The prints in order, as the index has them. */
async function replay(stackers: SpillingMap, keys: SpillingMap, { index, network }: Context): Promise<void> {
  for await (const { contract, height, tx_id, raw } of tableRows(index, POX_EVENTS, [
    'contract',
    'height',
    'tx_id',
    'raw',
  ])) {
    if (contract === 'pox-4') {
      const event = decodePoxEvent(raw, network);
      if (!event.ok || !event.value) continue;
      for (const choice of choicesOf(event.value)) await choose(choice, stackers);
      for (const { cycle, operator, signing_key } of commitmentsOf(event.value))
        await keys.set(`cycle ${cycle} ${operator}`, signing_key);
    } else {
      const facts = stakingFacts([{ contract, txId: toHex(tx_id), value: raw }]);
      for (const choice of choicesOfStakers(facts)) await choose(choice, stackers);
      for (const fact of facts)
        if (fact.kind === 'signer') await keys.set(`height ${height} ${fact.manager}`, `${fact.key} ${fact.txId}`);
    }
  }
}

async function choose(choice: Choice | Departure, stackers: SpillingMap): Promise<void> {
  const place = stackerKey(choice);
  if (choice.represented_by === null) {
    await stackers.delete(place);
    return;
  }
  const before = choice.changesSignerOnly ? await stackers.get(place) : undefined;
  const [, ...unchanged] = before?.split(' ') ?? [];
  await stackers.set(place, before ? [choice.represented_by, ...unchanged].join(' ') : choiceText(choice));
}

const stackerKey = ({ cycle, role, stacker }: RowOf<typeof POX_STACKERS, 'cycle' | 'role' | 'stacker'>): string =>
  `cycle ${cycle}, role ${role}, ${stacker}`;

const choiceText = ({ represented_by, rank, pox_address, in_bond }: Omit<RowOf<typeof POX_STACKERS>, 'cycle'>) =>
  `${represented_by} ${toHex(rank)} ${pox_address} ${in_bond}`;
