import { titled } from '../../http/errors.ts';
import { flag, text } from '../../http/params.ts';
import { failure } from '../../http/schema.ts';
import type { Api } from '../../http/server.ts';
import { Type } from '../../http/type.ts';
import { at, readAsOf, readLongAsOf } from '../../paging/as-of.ts';
import { allNamespaces, pageOfNamespace } from '../../records/names/queries.ts';
import { NameListSchemaV1, NamespacesSchemaV1 } from '../../records/names/schema.ts';
import type { ApiContext } from '../context.ts';

/** `/v1/namespaces` (docs/spec/names.md#lists) */
export function addNamespaceRoutesV1(api: Api, { db, longReads, names: versions }: ApiContext): void {
  const unanchored = flag('Checked, and without effect.');

  api.get(
    '/v1/namespaces',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getAllNamespacesV1',
        deprecated: true,
        summary: 'List all namespaces',
        description: 'In the order of their bytes.',
        tags: ['Names'],
        querystring: Type.Object({ unanchored, at: at() }),
        response: { 200: NamespacesSchemaV1 },
      },
    },
    async request =>
      JSON.stringify({ namespaces: await readAsOf(db, request, queries => allNamespaces(queries, versions)) }),
  );

  api.get(
    '/v1/namespaces/:tld/names',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getNamespaceNamesV1',
        deprecated: true,
        summary: 'List the names of a namespace',
        description: 'In the order of their bytes, 100 a page.',
        tags: ['Names'],
        params: Type.Object({ tld: text('The namespace.', 'sim') }),
        querystring: Type.Object({
          unanchored,
          page: Type.Optional(Type.Number({ description: 'Which page; 1.5 begins at the 150th name.', examples: [0] })),
          at: at(),
        }),
        response: { 200: NameListSchemaV1, 400: failure('There is no such namespace, or no such page') },
      },
    },
    async request => {
      const { page = 0 } = request.query;
      if (page < 0) throw titled(400, 'Invalid page');
      const { tld } = request.params;
      const names = await readLongAsOf(longReads, request, (queries, budget) =>
        pageOfNamespace(queries, tld, page, versions, budget),
      );
      if (!names) throw titled(400, 'No such namespace');
      if (names.length === 0 && page !== 0) throw titled(400, 'Invalid page');
      return JSON.stringify(names);
    },
  );
}
