import { Type } from 'typebox';
import { badRequest, notFound } from '../../../http/errors.ts';
import { page } from '../../../http/page.ts';
import { integer, limit, offset, text } from '../../../http/params.ts';
import { failure, pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { fromHex } from '../../../lib/hex.ts';
import { SignerSchema } from '../../../resources/pox/schema.ts';
import { type Cycle, findCycle, findSigner, pageOfSigners } from '../../../resources/pox/signer-queries.ts';
import type { Queries } from '../../../store/database.ts';
import type { ApiContext } from '../../context.ts';

/** `/extended/v2/pox` (docs/spec/pox.md) */
export function addPoxRoutes(api: Api, { db }: ApiContext): void {
  const cycle_number = integer('Number of the reward cycle.', {}, 7);

  api.get(
    '/extended/v2/pox/cycles/:cycle_number/signers',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoxCycleSigners',
        summary: 'List the signers of a cycle',
        description: 'The heaviest first.',
        tags: ['Stacking'],
        params: Type.Object({ cycle_number }),
        querystring: Type.Object({ limit: limit(250, 100), offset: offset() }),
        response: { 200: pageOf(SignerSchema, 'PoxSignersPage'), 404: failure('The cycle has no reward set') },
      },
    },
    request =>
      db.read(async queries => {
        const { limit, offset } = request.query;
        const cycle = await cycleOf(queries, request.params.cycle_number);
        return page({ limit, offset, total: cycle.signers }, await pageOfSigners(queries, cycle, { limit, offset }));
      }),
  );

  api.get(
    '/extended/v2/pox/cycles/:cycle_number/signers/:signer_key',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoxCycleSigner',
        summary: 'Get a signer of a cycle',
        tags: ['Stacking'],
        params: Type.Object({
          cycle_number,
          signer_key: text('Public key of the signer in hex; `0x` may be left out.', SIGNER_KEY),
        }),
        response: { 200: SignerSchema, 404: failure('The cycle has no reward set, or not this signer') },
      },
    },
    request =>
      db.read(async queries => {
        const { cycle_number, signer_key } = request.params;
        const cycle = await cycleOf(queries, cycle_number);
        const key = fromHex(signer_key);
        if (!key) throw badRequest('Invalid signer key: it must be an even number of hex digits');
        const signer = await findSigner(queries, cycle, key);
        if (signer === undefined) throw notFound('Not found');
        return signer;
      }),
  );
}

const SIGNER_KEY = '0x03c789b21a7b3daac009fe5e4c23254f2129f0565f4f8b76d8bc7da64e1351449c';

async function cycleOf(queries: Queries, number: number): Promise<Cycle> {
  const cycle = await findCycle(queries, number);
  if (!cycle) throw notFound('PoX cycle not found');
  return cycle;
}
