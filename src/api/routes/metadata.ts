import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { STANDARDS } from '../../index/token-metadata/standard.ts';
import { VersionedResponses } from '../http/caching.ts';
import { notFound } from '../http/errors.ts';
import { contractPrincipal, flag, integer, offset, oneOf, text, tokensOfContracts } from '../http/params.ts';
import { failure, pageOf } from '../http/schema.ts';
import type { Api } from '../http/server.ts';
import { Type } from '../http/type.ts';
import { page } from '../paging/page.ts';
import { type FoundToken, findToken, type TokenRequest, tokenNumber } from '../records/token-metadata/find-token.ts';
import { findTokens } from '../records/token-metadata/find-tokens.ts';
import { FtDirectory, listFungibleTokens } from '../records/token-metadata/ft-list.ts';
import { Lookalikes } from '../records/token-metadata/lookalikes.ts';
import { countTokenContracts } from '../records/token-metadata/queries.ts';
import { foundTokenRecord, ftRecord, nftRecord, sftRecord } from '../records/token-metadata/record.ts';
import {
  FoundTokenSchema,
  FtBasicMetadataSchema,
  FtMetadataSchema,
  MetadataStatusSchema,
  NftMetadataSchema,
  SftMetadataSchema,
} from '../records/token-metadata/schema.ts';
import type { ApiContext } from './context.ts';
import { FT_CONTRACT, NFT_CONTRACT, SFT_CONTRACT } from './examples.ts';

/** `/metadata/v1`, and the same without a version (docs/spec/token-metadata.md). */
export function addMetadataRoutes(api: Api, context: ApiContext): void {
  const directory = new FtDirectory(context.db, context.metadata, context.tip);
  const similar = new Lookalikes(directory, context.metadata);
  for (const paths of [VERSIONED, UNVERSIONED]) {
    addNftRoute(api, context, paths);
    addSftRoute(api, context, paths);
    addFtRoute(api, context, paths);
    addFtListRoute(api, context, paths, directory);
    addLookalikesRoute(api, paths, similar);
    addTokenSearchRoute(api, context, paths);
    addStatusRoute(api, context, paths);
  }
}

interface Paths {
  readonly prefix: string;
  readonly name: (operationId: string) => string;
  readonly summary: (text: string) => string;
}

const VERSIONED: Paths = { prefix: '/metadata/v1', name: id => `${id}V1`, summary: text => text };
const UNVERSIONED: Paths = {
  prefix: '/metadata',
  name: id => id,
  summary: text => `${text} (path without version)`,
};

const querystring = Type.Object({
  locale: Type.Optional(
    text('Locale of the metadata, exactly as the token declares it; the default one where it is empty.', 'en'),
  ),
});
const tokenId = () => text('Number of the token: decimal digits, up to 2^128 - 1.', '1');
const description =
  'Metadata that was fetched once is served, also during a later fetch and after its failure. Without a Stacks node, metadata that was ' +
  'never fetched is a 503.';
const unavailable = failure('The metadata is being fetched, could not be fetched, or is not there in this locale');

function addNftRoute(api: Api, context: ApiContext, { prefix, name, summary }: Paths): void {
  const params = Type.Object({ principal: contractPrincipal(NFT_CONTRACT), token_id: tokenId() });
  const responses = new VersionedResponses<TokenRequestOf<typeof params>>(
    ({ params: { principal, token_id }, query }) =>
      tokenBody(context, 'sip-009', principal, tokenNumber(token_id), query.locale, nftRecord),
  );
  api.get(
    `${prefix}/nft/:principal/:token_id`,
    {
      config: { cache: responses.version },
      schema: {
        operationId: name('getNftMetadata'),
        summary: summary('Get the metadata of a non-fungible token'),
        description,
        tags: ['Tokens'],
        params,
        querystring,
        response: {
          200: NftMetadataSchema,
          404: failure('No such contract of this standard, or no such token'),
          422: unavailable,
        },
      },
    },
    responses.body,
  );
}

function addSftRoute(api: Api, context: ApiContext, { prefix, name, summary }: Paths): void {
  const params = Type.Object({ principal: contractPrincipal(SFT_CONTRACT), token_id: tokenId() });
  const responses = new VersionedResponses<TokenRequestOf<typeof params>>(
    ({ params: { principal, token_id }, query }) =>
      tokenBody(context, 'sip-013', principal, tokenNumber(token_id), query.locale, sftRecord),
  );
  api.get(
    `${prefix}/sft/:principal/:token_id`,
    {
      config: { cache: responses.version },
      schema: {
        operationId: name('getSftMetadata'),
        summary: summary('Get the metadata of a semi-fungible token'),
        description,
        tags: ['Tokens'],
        params,
        querystring,
        response: {
          200: SftMetadataSchema,
          404: failure('No such contract of this standard, or no such token'),
          422: unavailable,
        },
      },
    },
    responses.body,
  );
}

function addFtRoute(api: Api, context: ApiContext, { prefix, name, summary }: Paths): void {
  const params = Type.Object({ principal: contractPrincipal(FT_CONTRACT) });
  const responses = new VersionedResponses<TokenRequestOf<typeof params>>(({ params: { principal }, query }) =>
    tokenBody(context, 'sip-010', principal, '1', query.locale, ftRecord),
  );
  api.get(
    `${prefix}/ft/:principal`,
    {
      config: { cache: responses.version },
      schema: {
        operationId: name('getFtMetadata'),
        summary: summary('Get the metadata of a fungible token'),
        description,
        tags: ['Tokens'],
        params,
        querystring,
        response: { 200: FtMetadataSchema, 404: failure('No such contract of this standard'), 422: unavailable },
      },
    },
    responses.body,
  );
}

function addFtListRoute(api: Api, context: ApiContext, { prefix, name, summary }: Paths, directory: FtDirectory): void {
  const querystring = Type.Object({
    name: Type.Optional(text('Only tokens whose name contains it, in any letter case.', 'coin')),
    symbol: Type.Optional(text('Only tokens of this symbol, in any letter case.', 'COIN')),
    address: Type.Optional(text('Only contracts whose id begins like this.', FT_CONTRACT)),
    valid_metadata_only: flag('Whether to leave out tokens without metadata.'),
    offset: offset(),
    limit: integer('Records of the page.', { minimum: 1, maximum: 60, default: 20 }),
    order_by: oneOf('By name, or by symbol; letter case does not matter.', ['name', 'symbol'], 'name'),
    order: oneOf('Direction.', ['asc', 'desc'], 'asc'),
  });
  const responses = new VersionedResponses<FastifyRequest<{ Querystring: Static<typeof querystring> }>>(
    async ({ query }) => {
      const { total, records } = await listFungibleTokens(directory, context.metadata, query);
      return page({ limit: query.limit, offset: query.offset, total }, records);
    },
  );
  api.get(
    `${prefix}/ft`,
    {
      config: { cache: responses.version },
      schema: {
        operationId: name('getFungibleTokens'),
        summary: summary('List fungible tokens'),
        description:
          'One record a contract; what was not fetched yet is left out of it. Without a name, or a symbol, comes last.',
        tags: ['Tokens'],
        querystring,
        response: { 200: pageOf(FtBasicMetadataSchema, 'FtMetadataPage') },
      },
    },
    responses.body,
  );
}

function addLookalikesRoute(api: Api, { prefix, name, summary }: Paths, similar: Lookalikes): void {
  const params = Type.Object({ principal: contractPrincipal(FT_CONTRACT) });
  const querystring = Type.Object({
    offset: offset(),
    limit: integer('Records of the page.', { minimum: 1, maximum: 60, default: 20 }),
  });
  type Asked = FastifyRequest<{ Params: Static<typeof params>; Querystring: Static<typeof querystring> }>;
  const responses = new VersionedResponses<Asked>(async ({ params: { principal }, query }) => {
    const found = await similar.of(principal, query);
    if (!found) throw notFound('Contract not found');
    return page({ limit: query.limit, offset: query.offset, total: found.total }, found.records);
  });
  api.get(
    `${prefix}/ft/:principal/lookalikes`,
    {
      config: { cache: responses.version, internal: true },
      schema: {
        operationId: name('getFtLookalikes'),
        summary: summary('List the fungible tokens that look like one'),
        description:
          'Tokens whose symbol or name reads like its own, itself included, in the order of their deployment. The order proves neither a copy nor an intention.',
        tags: ['Tokens'],
        params,
        querystring,
        response: {
          200: pageOf(FtBasicMetadataSchema, 'FtLookalikesPage'),
          404: failure('No such contract of this standard'),
        },
      },
    },
    responses.body,
  );
}

/** Most tokens in one request. */
const MOST_TOKENS = 50;

function addTokenSearchRoute(api: Api, context: ApiContext, { prefix, name, summary }: Paths): void {
  const search = Type.Object({
    contract: tokensOfContracts(`${NFT_CONTRACT}:1`, MOST_TOKENS),
    ...querystring.properties,
  });
  const responses = new VersionedResponses<FastifyRequest<{ Querystring: Static<typeof search> }>>(
    async ({ query: { contract, locale = '' } }) => {
      const asked = contract.map(text => {
        const [contractId = '', token = '1'] = text.split(':');
        return { contractId, token };
      });
      const found = await findTokens(context.db, context.metadata, asked, locale);
      const records = found.map(token => foundTokenRecord(token, token.number, context.metadata.imagesUrl));
      return `[${records.join(',')}]`;
    },
  );
  api.get(
    `${prefix}/search`,
    {
      config: { cache: responses.version, internal: true },
      schema: {
        operationId: name('searchTokens'),
        summary: summary('Get the metadata of several tokens'),
        description: 'In the order of the request. Tokens that are not known, or not fetched yet, are left out.',
        tags: ['Tokens'],
        querystring: search,
        response: { 200: Type.Array(FoundTokenSchema) },
      },
    },
    responses.body,
  );
}

function addStatusRoute(api: Api, { db, tip, version }: ApiContext, { prefix, name, summary }: Paths): void {
  api.get(
    prefix,
    {
      config: { cache: 'tip' },
      schema: {
        operationId: name('getMetadataStatus'),
        summary: summary('Get the status of token metadata'),
        tags: ['Status'],
        response: { 200: MetadataStatusSchema },
      },
    },
    async () => {
      const counts = await db.read(countTokenContracts);
      const current = tip.current();
      return JSON.stringify({
        server_version: `stacks-index v${version}`,
        status: 'ready',
        chain_tip: current ? { block_height: current.height, index_block_hash: current.indexBlockHash } : null,
        token_contracts: Object.fromEntries(STANDARDS.map(standard => [standard, counts.get(standard) ?? 0])),
      });
    },
  );
}

type TokenRequestOf<Params extends TSchema> = FastifyRequest<{
  Params: Static<Params>;
  Querystring: Static<typeof querystring>;
}>;

async function tokenBody(
  { db, metadata }: ApiContext,
  standard: TokenRequest['standard'],
  contractId: string,
  token: string,
  locale = '',
  record: (found: FoundToken, imagesUrl: string) => string,
): Promise<string> {
  const found = await findToken(db, metadata, { standard, contractId, token, locale });
  if (!found.ok) throw found.error;
  return record(found.value, metadata.imagesUrl);
}
