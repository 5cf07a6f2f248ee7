import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { page } from '../../http/page.ts';
import { contractPrincipal, flag, integer, offset, oneOf, text } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import { STANDARDS } from '../../metadata/token-standards.ts';
import type { ApiContext } from '../api-context.ts';
import { type FoundToken, findToken, type TokenRequest, tokenNumber } from './find-token.ts';
import { FtDirectory, listFungibleTokens } from './ft-list.ts';
import { addImageRoutes } from './image-routes.ts';
import { countTokenContracts } from './queries.ts';
import { ftRecord, nftRecord, sftRecord } from './record.ts';
import {
  FtMetadataPage,
  FtMetadataSchema,
  MetadataStatusSchema,
  NftMetadataSchema,
  SftMetadataSchema,
} from './schema.ts';
import { VersionedResponses } from './versioned-responses.ts';

/** Every path is there with and without a version. */
const PREFIXES = ['/metadata/v1', '/metadata'] as const;

/** `/metadata`: metadata of tokens by contract and number, the list of fungible tokens, and the status. */
export function addTokenMetadataRoutes(api: Api, context: ApiContext, version: string): void {
  const directory = new FtDirectory(context.db, context.metadata, context.tip);
  for (const prefix of PREFIXES) {
    addNumberedRoute(api, context, `${prefix}/nft`, {
      standard: 'sip-009',
      response: NftMetadataSchema,
      record: nftRecord,
    });
    addNumberedRoute(api, context, `${prefix}/sft`, {
      standard: 'sip-013',
      response: SftMetadataSchema,
      record: sftRecord,
    });
    addFungibleRoutes(api, context, directory, `${prefix}/ft`);
    addStatusRoute(api, context, prefix, version);
  }
  addImageRoutes(api, context.metadata.images);
}

const locale = Type.Object({ locale: Type.Optional(text()) });

interface Numbered {
  readonly standard: TokenRequest['standard'];
  readonly response: typeof NftMetadataSchema | typeof SftMetadataSchema;
  readonly record: (found: FoundToken, imagesUrl: string) => string;
}

/** A token by contract and number: getNftMetadata and getSftMetadata. */
function addNumberedRoute(api: Api, context: ApiContext, path: string, { standard, response, record }: Numbered): void {
  const params = Type.Object({ principal: contractPrincipal(), token_id: text() });
  type Request = FastifyRequest<{ Params: Static<typeof params>; Querystring: Static<typeof locale> }>;
  const responses = new VersionedResponses<Request>(
    async ({ params: { principal, token_id }, query: { locale = '' } }) => {
      const token = tokenNumber(token_id);
      return tokenRecord(context, { standard, contractId: principal, token, locale }, record);
    },
  );
  const config = { cache: responses.version, response };
  api.get(`${path}/:principal/:token_id`, { config, schema: { params, querystring: locale } }, responses.body);
}

/** A fungible token by its contract, and all of them. */
function addFungibleRoutes(api: Api, context: ApiContext, directory: FtDirectory, path: string): void {
  const params = Type.Object({ principal: contractPrincipal() });
  type Request = FastifyRequest<{ Params: Static<typeof params>; Querystring: Static<typeof locale> }>;
  const token = new VersionedResponses<Request>(({ params: { principal }, query: { locale = '' } }) =>
    tokenRecord(context, { standard: 'sip-010', contractId: principal, token: '1', locale }, ftRecord),
  );
  api.get(
    `${path}/:principal`,
    { config: { cache: token.version, response: FtMetadataSchema }, schema: { params, querystring: locale } },
    token.body,
  );

  const querystring = Type.Object({
    name: Type.Optional(text()),
    symbol: Type.Optional(text()),
    address: Type.Optional(text()),
    valid_metadata_only: flag(),
    offset: offset(),
    limit: integer({ minimum: 1, maximum: 60, default: 20 }),
    order_by: oneOf(['name', 'symbol'], 'name'),
    order: oneOf(['asc', 'desc'], 'asc'),
  });
  const list = new VersionedResponses<FastifyRequest<{ Querystring: Static<typeof querystring> }>>(
    async ({ query }) => {
      const { total, records } = await listFungibleTokens(directory, context.metadata, query);
      return page({ limit: query.limit, offset: query.offset, total }, records);
    },
  );
  api.get(path, { config: { cache: list.version, response: FtMetadataPage }, schema: { querystring } }, list.body);
}

async function tokenRecord(
  { db, metadata }: ApiContext,
  request: TokenRequest,
  record: Numbered['record'],
): Promise<string> {
  const found = await findToken(db, metadata, request);
  if (!found.ok) throw found.error;
  return record(found.value, metadata.imagesUrl);
}

function addStatusRoute(api: Api, { db, tip }: ApiContext, path: string, version: string): void {
  api.get(path, { config: { cache: 'tip', response: MetadataStatusSchema } }, async () => {
    const counts = await db.read(countTokenContracts);
    const current = tip.current();
    return JSON.stringify({
      server_version: `stacks-index v${version}`,
      status: 'ready',
      chain_tip: current ? { block_height: current.height, index_block_hash: current.indexBlockHash } : null,
      token_contracts: Object.fromEntries(STANDARDS.map(standard => [standard, counts.get(standard) ?? 0])),
    });
  });
}
