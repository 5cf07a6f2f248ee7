import { Type } from 'typebox';
import { badRequest } from '../../http/errors.ts';
import { flag, text } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import type { ApiContext } from '../api-context.ts';
import { namesOwnedBy } from './queries.ts';
import { NamesAnswer } from './schema.ts';

/** `/v1/addresses/{blockchain}/{address}`: getNamesOwnedByAddress (docs/spec/names.md#names-of-an-address). */
export function addNameRoutes(api: Api, { db }: ApiContext): void {
  const schema = {
    params: Type.Object({ blockchain: text(), address: text() }),
    querystring: Type.Object({ unanchored: flag() }), // checked, and without effect (as recorded)
  };
  api.get(
    '/v1/addresses/:blockchain/:address',
    { config: { cache: 'tip', response: NamesAnswer }, schema },
    async request => {
      const { blockchain, address } = request.params;
      if (blockchain !== 'stacks') throw badRequest('Unsupported blockchain');
      const names = await db.read(queries => namesOwnedBy(queries, address));
      return JSON.stringify({ names });
    },
  );
}
