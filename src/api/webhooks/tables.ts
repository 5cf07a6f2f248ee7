import { table } from '../../base/store/table.ts';

/**
 * The webhooks, and how far each has got in the log. In a directory the table is a file of its own (hooks.sqlite), on
 * PostgreSQL it is in the schema of the journal: rebuilding the index keeps it. Forks change no row: a place names the
 * fork that it is on.
 */
export const WEBHOOKS = table({
  name: 'webhooks',
  columns: {
    id: 'text',
    url: 'text',
    /** JSON list of topics in the spelling of the index. */
    topics: 'text',
    /** Key of the signatures. */
    secret: 'text',
    /** `active`, or `parked`: nothing is sent until an operator resumes the webhook. */
    state: 'text',
    /** Token up to which all was confirmed; null until the first check: the webhook then begins at the tip. */
    place: 'text?',
    /** Position of the index that `place` and `body_place` were read from: one that is behind it, such as a replica, does not know them. */
    position: 'int',
    /** The batch that is not confirmed yet, in the exact bytes that are sent until it is; null without one. */
    body: 'text?',
    /** The place after it. */
    body_place: 'text?',
    /** Failures since the last success, and the Unix milliseconds of the first of them. */
    failures: 'int',
    failing_since: 'int?',
    /** The last failure in words, for operators. */
    error: 'text?',
    /** Unix milliseconds before which nothing is sent. */
    run_after: 'int',
    created_at: 'int',
    /** Unix milliseconds of the last confirmation. */
    delivered_at: 'int?',
  },
  key: ['id'],
  rewritten: true,
});
