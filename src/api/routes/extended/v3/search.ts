import type { FastifyRequest } from 'fastify';
import { badRequest } from '../../../http/errors.ts';
import { listOf } from '../../../http/params.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { bitcoinAddressesBeginning } from '../../../records/burnchain/queries.ts';
import { namesBeginning, namespacesBeginning, namesWithin } from '../../../records/names/queries.ts';
import { SearchResultsSchemaV3 } from '../../../records/search/schema-v3.ts';
import { searchV3 } from '../../../records/search/search-v3.ts';
import { FURTHER_TYPES, SEARCH_TYPES, type SearchType } from '../../../records/search/terms-v3.ts';
import type { ApiContext } from '../../context.ts';
import { ADDRESS, BLOCK_HASH, CONTRACT_ID, TX_ID } from '../../examples.ts';

const examples = [ADDRESS, CONTRACT_ID, TX_ID.slice(0, 14), BLOCK_HASH, '7', 'token'];

/** Characters of a term that an error shows. */
const SHOWN = 100;

/** Results with pending transactions change with the mempool, all others with burn blocks; no single version covers both. */
const dependenceOf = ({ query }: FastifyRequest) =>
  (query as { type?: readonly SearchType[] }).type?.includes('pending_transaction') ? 'none' : 'tips';

/** `/extended/v3/search` (docs/spec/search.md#version-3). */
export function addSearchRoutesV3(api: Api, { db, names: versions }: ApiContext): void {
  api.get(
    '/extended/v3/search',
    {
      config: { cache: { of: dependenceOf } },
      schema: {
        operationId: 'searchV3',
        summary: 'Find entities by a height, a beginning of an id, or a part of a name',
        description:
          'At most 20: those whose whole id is given first, then those whose id begins so, then those that have it in their name. Without a match the list is empty.',
        tags: ['Search'],
        querystring: Type.Object({
          q: Type.String({
            maxLength: 300,
            description:
              'A height; a beginning of a hash (8 digits), or its beginning and end (`0x350063…c8c2dc`), an address (6 characters), a contract id or an asset identifier (with its dot); or a part of a name of a contract or token (3 characters).',
            examples,
          }),
          type: Type.Optional(
            listOf(
              `What is looked for, each once; ${SEARCH_TYPES.join(', ')}, unless given.`,
              [...SEARCH_TYPES, ...FURTHER_TYPES],
              { uniqueItems: true },
            ),
          ),
        }),
        response: { 200: SearchResultsSchemaV3 },
      },
    },
    async ({ query: { q, type = SEARCH_TYPES } }) => {
      const results = await db.read(queries =>
        searchV3(queries, q, type, {
          names: (beginning, most) => namesBeginning(queries, beginning, most, versions),
          namesWithin: (text, most) => namesWithin(queries, text, most, versions),
          namespaces: (beginning, most) => namespacesBeginning(queries, beginning, most, versions),
          bitcoinAddresses: (beginning, most) => bitcoinAddressesBeginning(queries, beginning, most),
        }),
      );
      if (!results) throw notSearchable(q);
      return JSON.stringify({ results });
    },
  );
}

const notSearchable = (term: string) =>
  badRequest(
    `querystring/q must be a height (up to 2147483647), at least 8 digits of a hash, or its first 6 and last 4 or more with … between, at least 6 characters of an address, a beginning of a contract id or an asset identifier with its dot, or at least 3 characters of a name of a contract or token that begin with a letter, not "${term.slice(0, SHOWN)}"`,
  );
