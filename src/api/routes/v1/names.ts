import type { FastifyReply } from 'fastify';
import { fromHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { redirect } from '../../http/conventions.ts';
import { titled } from '../../http/errors.ts';
import { flag, integer, text } from '../../http/params.ts';
import { failure } from '../../http/schema.ts';
import type { Api } from '../../http/server.ts';
import { Type } from '../../http/type.ts';
import { at, readAsOf, readLongAsOf } from '../../paging/as-of.ts';
import { findBns2Name, findName, pageOfNames } from '../../records/names/queries.ts';
import { NameInfoSchemaV1, NameListSchemaV1, ZoneFileSchemaV1 } from '../../records/names/schema.ts';
import {
  findSubdomain,
  isValidName,
  newestZoneFile,
  resolverFor,
  subdomainsOf,
  tokenNamed,
} from '../../records/names/zone-files.ts';
import type { ApiContext } from '../context.ts';

/** `/v1/names` (docs/spec/names.md) */
export function addNameRoutesV1(api: Api, { db, longReads, names: versions }: ApiContext): void {
  const params = Type.Object({ name: text('A name, or a subdomain.', NAME) });
  const unanchored = flag('Checked, and without effect.');

  api.get(
    '/v1/names',
    {
      config: { cache: 'attachments' },
      schema: {
        operationId: 'getAllNamesV1',
        deprecated: true,
        summary: 'List all names',
        description: 'In the order of their bytes, 100 a page.',
        tags: ['Names'],
        querystring: Type.Object({
          unanchored,
          page: Type.Optional(integer('Which page.', { minimum: 0 }, 0)),
          at: at(),
        }),
        response: { 200: NameListSchemaV1 },
      },
    },
    async request => {
      const { page = 0 } = request.query;
      const names = await readLongAsOf(longReads, request, (queries, budget) =>
        pageOfNames(queries, page, versions, budget),
      );
      if (names.length === 0 && page !== 0) throw titled(400, 'Invalid page');
      return JSON.stringify(names);
    },
  );

  api.get(
    '/v1/names/:name',
    {
      config: { cache: 'attachments' },
      schema: {
        operationId: 'getNameInfoV1',
        deprecated: true,
        summary: 'Get a name or a subdomain',
        description:
          'With two dots it is a subdomain. An unknown subdomain is redirected to the resolver of its name, if the name has one.',
        tags: ['Names'],
        params,
        querystring: Type.Object({ unanchored, at: at() }),
        response: { 200: NameInfoSchemaV1, 404: failure('There is no such name, or it was revoked') },
      },
    },
    (request, reply) =>
      readAsOf(db, request, async queries => {
        const { name } = request.params;
        if (name.split('.').length === 3) return subdomain(queries, name, request.url, reply);
        const found = await findName(queries, name, versions);
        if (!found) throw titled(404, `cannot find name ${name}`);
        return JSON.stringify(found);
      }),
  );

  api.get(
    '/v1/names/:name/zonefile',
    {
      config: { cache: 'attachments' },
      schema: {
        operationId: 'fetchZoneFileV1',
        deprecated: true,
        summary: 'Get the zone file of a name or a subdomain',
        description: 'The newest one; empty for a name without one.',
        tags: ['Names'],
        params,
        querystring: Type.Object({ unanchored, at: at() }),
        response: { 200: ZoneFileSchemaV1, 404: failure('There is no such name') },
      },
    },
    async request => {
      const { name } = request.params;
      const zonefile = await readAsOf(db, request, queries => newestOf(queries, name));
      if (zonefile === undefined) throw titled(404, 'No such name or zonefile does not exist');
      return JSON.stringify({ zonefile });
    },
  );

  api.get(
    '/v1/names/:name/zonefile/:zoneFileHash',
    {
      config: { cache: 'attachments' },
      schema: {
        operationId: 'getHistoricalZoneFileV1',
        deprecated: true,
        summary: 'Get a zone file that a name or a subdomain has, or had',
        tags: ['Names'],
        params: Type.Object({
          name: text('A name, or a subdomain.', NAME),
          zoneFileHash: text('The `zonefile_hash` of the name at some time; `0x` may precede it.', ZONE_FILE_HASH),
        }),
        querystring: Type.Object({ unanchored, at: at() }),
        response: { 200: ZoneFileSchemaV1, 404: failure('There is no such name, or no such zone file') },
      },
    },
    async request => {
      const { name, zoneFileHash } = request.params;
      const hash = fromHex(zoneFileHash);
      const zonefile = hash && (await readAsOf(db, request, queries => zoneFile(queries, name, hash)));
      if (zonefile === undefined) throw titled(404, 'No such name or zonefile');
      return JSON.stringify({ zonefile });
    },
  );

  api.get(
    '/v1/names/:name/subdomains',
    {
      config: { cache: 'attachments' },
      schema: {
        operationId: 'fetchSubdomainsListForNameV1',
        deprecated: true,
        summary: 'List the subdomains of a name',
        description: 'All subdomains that a zone file of the name ever had, in the order of bytes.',
        tags: ['Names'],
        params,
        querystring: Type.Object({ unanchored, at: at() }),
        response: { 200: NameListSchemaV1 },
      },
    },
    async request => {
      const { name } = request.params;
      return JSON.stringify(
        await readLongAsOf(longReads, request, (queries, budget) => subdomainsOf(queries, name, budget)),
      );
    },
  );

  /** The newest zone file of a name or subdomain; empty for a name that has none, as those of version 2 (docs/names.md). */
  const newestOf = async (queries: Queries, name: string): Promise<string | undefined> =>
    (await zoneFile(queries, name)) ??
    (name.split('.').length === 2 && (await findName(queries, name, versions)) ? '' : undefined);

  async function zoneFile(queries: Queries, name: string, hash?: Uint8Array): Promise<string | undefined> {
    if (name.split('.').length > 2) return (await findSubdomain(queries, name, hash))?.zonefile;
    if (versions !== 'v1' && (await findBns2Name(queries, name))) return undefined;
    const token = tokenNamed(name);
    return (await isValidName(queries, token)) ? newestZoneFile(queries, token, hash) : undefined;
  }
}

const NAME = 'alice.sim';
const ZONE_FILE_HASH = 'e86e4a3da1c96a5865473e3991213cfd835654d0';

async function subdomain(queries: Queries, name: string, url: string, reply: FastifyReply) {
  const found = await findSubdomain(queries, name);
  if (found) return JSON.stringify(found);
  const resolver = await resolverFor(queries, name);
  if (resolver === undefined) throw titled(404, `cannot find subdomain ${name}`);
  if (!isWebAddress(resolver)) throw titled(404, 'missing resolver from a malformed zonefile');
  return redirect(reply, 302, `${resolver}${url}`);
}

/** Whether a resolver is a web address. Zone files are untrusted: anyone can write anything into them. */
const isWebAddress = (resolver: string): boolean => /^https?:\/\/[^/]/.test(resolver) && URL.canParse(resolver);
