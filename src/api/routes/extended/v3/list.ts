import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Queries } from '../../../../base/store/database.ts';
import { FORK_HEIGHT } from '../../../http/headers.ts';
import type { LongReads, RowBudget } from '../../../http/long-reads.ts';
import { normalHash } from '../../../http/params.ts';
import type { FormatName } from '../../../http/principals.ts';
import { Type } from '../../../http/type.ts';
import { HASH, type TextForm } from '../../../http/validation.ts';
import { asOf, at } from '../../../paging/as-of.ts';
import { EVENT_CURSOR } from '../../../paging/event-cursors.ts';
import { forkHeight } from '../../../paging/fork-height.ts';

/**
 * The parameters of every list of version 3 (docs/spec/cursors.md). @param cursor the form of its cursors, and their
 * documentation in `description`
 */
export const cursorQuery = (
  limits: { readonly maximum: number; readonly default: number },
  {
    description,
    example,
    ...form
  }: Partial<TextForm> & {
    readonly pattern: string;
    /** The format of cursors that are principals, which are accepted in every spelling. */
    readonly format?: FormatName;
    readonly description: string;
    readonly example: string;
  },
) => ({
  limit: Type.Integer({ minimum: 1, ...limits, description: 'Records of the page.' }),
  cursor: Type.Optional(
    Type.String({
      ...form,
      description: `The first row of the page: ${description}.`,
      examples: [example],
    }),
  ),
  seen_tip: Type.Optional(
    Type.String({
      ...HASH,
      description:
        'The tip that an earlier page named in `X-Stacks-Tip-Index-Block-Hash`. If a fork has replaced it since, ' +
        '`X-Stacks-Fork-Height` is the height up to which both branches are the same.',
      examples: [`0x${'0'.repeat(64)}`],
    }),
  ),
});

/** The parameters of lists whose rows come from events (docs/spec/cursors.md#places-of-events). */
export const eventCursorQuery = (example: string, limits = { maximum: 50, default: 20 }) =>
  cursorQuery(limits, {
    pattern: EVENT_CURSOR,
    description: '`<block height>:<microblock sequence>:<index>:<event>`, or less of it',
    example,
  });

/** The same for lists that can be read as of a block. */
export const eventQuery = (example: string, limits?: { readonly maximum: number; readonly default: number }) =>
  Type.Object({ ...eventCursorQuery(example, limits), at: at() });

/**
 * Reads a page in one snapshot. If the client sends the last tip that it knows, a response header gives the part of that chain that is still canonical.
 */
export function readList<T>(
  db: Database,
  query: { readonly seen_tip?: string | undefined; readonly at?: string | undefined },
  reply: FastifyReply,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  return db.read(async queries => {
    await tellFork(queries, query, reply);
    return work(await asOf(queries, query, reply.request));
  });
}

/** Like readList, for pages that may read more rows than they return (see LongReads). */
export function readLongList<T>(
  longReads: LongReads,
  request: FastifyRequest & { readonly query: Parameters<typeof readList>[1] },
  reply: FastifyReply,
  work: (queries: Queries, budget: RowBudget) => Promise<T>,
): Promise<T> {
  return longReads.read(request, async (queries, budget) => {
    await tellFork(queries, request.query, reply);
    return work(await asOf(queries, request.query, request), budget);
  });
}

/** Sets a header if the tip that a client has seen is no longer canonical. It has no effect beside `at`, whose block is canonical. */
export async function tellFork(
  queries: Queries,
  { seen_tip, at }: { readonly seen_tip?: string | undefined; readonly at?: string | undefined },
  reply: FastifyReply,
): Promise<void> {
  const height =
    seen_tip === undefined || at !== undefined ? undefined : await forkHeight(queries, normalHash(seen_tip));
  if (height !== undefined) reply.header(FORK_HEIGHT, height);
}
