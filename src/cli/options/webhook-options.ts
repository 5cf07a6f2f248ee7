import { DEFAULT_WEBHOOK_LIMITS } from '../../api/webhooks/webhook.ts';
import { anyText, hosts, list, matching, wholeNumber } from './option-parsers.ts';
import type { OptionSpec } from './option-spec.ts';

/** Options about webhooks. See docs/live.md. */
export const WEBHOOK_OPTIONS = {
  'hooks-allow-hosts': {
    group: 'Webhooks',
    commands: ['serve', 'hooks'],
    value: 'HOSTS',
    parse: hosts,
    env: 'STACKS_INDEX_HOOKS_ALLOW_HOSTS',
    help: 'receivers that may have a private address or another port than 80 and 443, separated by commas: host, host:port or an origin with a path',
  },
  'max-hooks': {
    group: 'Webhooks',
    commands: ['serve', 'hooks'],
    value: 'COUNT',
    parse: wholeNumber(1, 10_000),
    env: 'STACKS_INDEX_MAX_HOOKS',
    default: String(DEFAULT_WEBHOOK_LIMITS.maxHooks),
    help: 'largest number of webhooks; each reads every block',
  },
  'hooks-secret': {
    group: 'Webhooks',
    commands: ['serve'],
    value: 'TEXT',
    parse: matching(/^[\w.~-]{8,200}$/, '8 to 200 letters, digits, or any of - . _ ~'),
    secret: true,
    env: 'STACKS_INDEX_HOOKS_SECRET',
    environmentOnly: true,
    help: 'secret for managing webhooks at /hooks of the metrics port, as Authorization: Bearer TEXT; if not set, only the command line manages them',
  },
  topics: {
    group: 'Webhooks',
    commands: ['hooks'],
    value: 'LIST',
    parse: list,
    help: 'for add: topics of the stream, separated by commas; block if not set',
  },
  after: {
    group: 'Webhooks',
    commands: ['hooks'],
    value: 'ID',
    parse: anyText,
    help: 'for add: begin after this event; 0.0000000000.4 is before the first block; with the next event if not set',
  },
} as const satisfies Record<string, OptionSpec>;
