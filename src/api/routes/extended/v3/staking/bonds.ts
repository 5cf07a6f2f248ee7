import { notFound } from '../../../../http/errors.ts';
import { integer, MAX_INTEGER } from '../../../../http/params.ts';
import { failure } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { DIGITS } from '../../../../http/validation.ts';
import { at, PAST_QUERY, readAsOf } from '../../../../paging/as-of.ts';
import { cursorPageOf, cursorPageOfRecords } from '../../../../paging/cursor-page.ts';
import { requirePrints } from '../../../../records/pox/signer-queries.ts';
import { bondsV3, findBond, pageOfBonds } from '../../../../records/staking/bonds.ts';
import { BondSchemaV3, BondSummarySchemaV3 } from '../../../../records/staking/schema.ts';
import { transactionAt } from '../../../../records/transactions/positions-v3.ts';
import type { ApiContext } from '../../../context.ts';
import { cursorQuery, readLongList } from '../list.ts';

/** `/extended/v3/staking/bonds` (docs/spec/staking.md#bonds) */
export function addBondRoutesV3(api: Api, { db, longReads, network, poxCycles }: ApiContext): void {
  api.get(
    '/extended/v3/staking/bonds',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBondsV3',
        summary: 'List bonds',
        description: 'Of PoX 5, the one with the highest number first.',
        tags: ['Stacking'],
        querystring: bondQuery(),
        response: { 200: cursorPageOf(BondSummarySchemaV3, 'BondsPage') },
      },
    },
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        const { limit, cursor } = request.query;
        await requirePrints(queries, budget);
        const page = await pageOfBonds(queries, limit, bondAt(cursor));
        return cursorPageOfRecords(page, await bondsV3(queries, { network, poxCycles }, page.rows));
      }),
  );

  api.get(
    '/extended/v3/staking/bonds/:bond_index',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBondV3',
        summary: 'Get a bond',
        tags: ['Stacking'],
        params: Type.Object({ bond_index: bondIndex() }),
        querystring: PAST_QUERY,
        response: { 200: BondSchemaV3, 404: failure('The bond was not set up') },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const bond = await findBond(queries, request.params.bond_index);
        if (!bond) throw notFound('Bond not found');
        const [record] = await bondsV3(queries, { network, poxCycles }, [bond]);
        return JSON.stringify({ ...record, transaction: await transactionAt(queries, bond.tx) });
      }),
  );
}

export const bondIndex = () => integer('Number of the bond.', {}, 1);

/** The parameters of lists by bond. */
export const bondQuery = () =>
  Type.Object({
    ...cursorQuery({ maximum: 50, default: 20 }, { ...DIGITS, description: 'the number of its bond', example: '1' }),
    at: at(),
  });

/** A number above the largest safe one is never a bond. */
export const bondAt = (cursor: string | undefined): number | undefined =>
  cursor === undefined ? undefined : Math.min(Number(cursor), MAX_INTEGER);
