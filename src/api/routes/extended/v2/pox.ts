import { hexBytes } from '../../../../base/lib/hex.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { notFound } from '../../../http/errors.ts';
import { hexText, integer, limit, offset } from '../../../http/params.ts';
import { failure, pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, readAsOf, readLongAsOf } from '../../../paging/as-of.ts';
import { page } from '../../../paging/page.ts';
import { CycleSchemaV2, SignerSchemaV2, StackerSchemaV2 } from '../../../records/pox/schema.ts';
import {
  type Cycle,
  findCycle,
  findCycleRecord,
  findSigner,
  pageOfCycles,
  pageOfSigners,
} from '../../../records/pox/signer-queries.ts';
import { stackersOf } from '../../../records/pox/stacker-queries.ts';
import type { ApiContext } from '../../context.ts';

/** `/extended/v2/pox` (docs/spec/pox.md) */
export function addPoxRoutesV2(api: Api, { db, longReads }: ApiContext): void {
  const cycle_number = integer('Number of the reward cycle.', {}, 7);
  const signer_key = hexText('Public key of the signer in hex; `0x` may be left out.', SIGNER_KEY);

  api.get(
    '/extended/v2/pox/cycles',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoxCyclesV2',
        summary: 'List reward cycles',
        description: 'The newest first.',
        tags: ['Stacking'],
        querystring: Type.Object({ limit: limit(60, 20, 'kept'), offset: offset(), at: at() }),
        response: { 200: pageOf(CycleSchemaV2, 'PoxCyclesPage') },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { limit, offset } = request.query;
        const { total, records } = await pageOfCycles(queries, { limit, offset });
        return page({ limit, offset, total }, records);
      }),
  );

  api.get(
    '/extended/v2/pox/cycles/:cycle_number',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoxCycleV2',
        summary: 'Get a reward cycle',
        tags: ['Stacking'],
        params: Type.Object({ cycle_number }),
        querystring: PAST_QUERY,
        response: { 200: CycleSchemaV2, 404: failure('The cycle has no reward set') },
      },
    },
    async request => {
      const record = await readAsOf(db, request, queries => findCycleRecord(queries, request.params.cycle_number));
      if (record === undefined) throw notFound('PoX cycle not found');
      return record;
    },
  );

  api.get(
    '/extended/v2/pox/cycles/:cycle_number/signers',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoxCycleSignersV2',
        summary: 'List the signers of a cycle',
        description: 'The heaviest first.',
        tags: ['Stacking'],
        params: Type.Object({ cycle_number }),
        querystring: Type.Object({ limit: limit(250, 100), offset: offset(), at: at() }),
        response: { 200: pageOf(SignerSchemaV2, 'PoxSignersPage'), 404: failure('The cycle has no reward set') },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const { limit, offset } = request.query;
        const cycle = await cycleOf(queries, request.params.cycle_number);
        const records = await pageOfSigners(queries, cycle, { limit, offset }, budget);
        return page({ limit, offset, total: cycle.signers }, records);
      }),
  );

  api.get(
    '/extended/v2/pox/cycles/:cycle_number/signers/:signer_key',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoxCycleSignerV2',
        summary: 'Get a signer of a cycle',
        tags: ['Stacking'],
        params: Type.Object({ cycle_number, signer_key }),
        querystring: PAST_QUERY,
        response: { 200: SignerSchemaV2, 404: failure('The cycle has no reward set, or not this signer') },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const { cycle_number, signer_key } = request.params;
        const cycle = await cycleOf(queries, cycle_number);
        const signer = await findSigner(queries, cycle, hexBytes(signer_key), budget);
        if (signer === undefined) throw notFound('PoX cycle signer not found');
        return signer;
      }),
  );

  api.get(
    '/extended/v2/pox/cycles/:cycle_number/signers/:signer_key/stackers',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoxCycleSignerStackersV2',
        summary: 'List the stackers of a signer in a cycle',
        description: 'Those with the most first.',
        tags: ['Stacking'],
        params: Type.Object({ cycle_number, signer_key }),
        querystring: Type.Object({ limit: limit(200, 100), offset: offset(), at: at() }),
        response: {
          200: pageOf(StackerSchemaV2, 'PoxStackersPage'),
          404: failure('The cycle has no reward set, or not this signer'),
        },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const { limit, offset } = request.query;
        const cycle = await cycleOf(queries, request.params.cycle_number);
        const key = hexBytes(request.params.signer_key);
        if ((await findSigner(queries, cycle, key, budget)) === undefined) throw notFound('PoX cycle signer not found');
        const { total, records } = await stackersOf(queries, cycle, key, { limit, offset }, budget);
        return page({ limit, offset, total }, records);
      }),
  );
}

const SIGNER_KEY = '0x03c789b21a7b3daac009fe5e4c23254f2129f0565f4f8b76d8bc7da64e1351449c';

async function cycleOf(queries: Queries, number: number): Promise<Cycle> {
  const cycle = await findCycle(queries, number);
  if (!cycle) throw notFound('PoX cycle not found');
  return cycle;
}
