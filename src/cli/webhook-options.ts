import { DEFAULT_WEBHOOK_LIMITS } from '../webhooks/limits.ts';
import { list, matching, text, wholeNumber } from './option-parsers.ts';
import type { OptionSpec } from './option-spec.ts';

/** Options about webhooks. See docs/live.md. */
export const WEBHOOK_OPTIONS = {
  'hooks-allow-hosts': {
    group: 'Webhooks',
    commands: ['serve', 'hooks'],
    value: 'HOSTS',
    parse: list,
    env: 'STACKS_INDEX_HOOKS_ALLOW_HOSTS',
    help: 'receivers whose address may be private or their port unusual, separated by commas: host, host:port or an origin with a path',
  },
  'max-hooks': {
    group: 'Webhooks',
    commands: ['serve', 'hooks'],
    value: 'COUNT',
    parse: wholeNumber(1, 10_000),
    env: 'STACKS_INDEX_MAX_HOOKS',
    default: String(DEFAULT_WEBHOOK_LIMITS.maxHooks),
    help: 'webhooks there may be; each reads every block',
  },
  'hooks-secret': {
    group: 'Webhooks',
    commands: ['serve'],
    value: 'TEXT',
    parse: matching(/^[\w.~-]{8,200}$/, '8 to 200 letters, digits, or any of - . _ ~'),
    secret: true,
    env: 'STACKS_INDEX_HOOKS_SECRET',
    environmentOnly: true,
    help: 'with it, webhooks are listed, added, removed and resumed at /hooks of the metrics port too, for who shows it',
  },
  topics: {
    group: 'Webhooks',
    commands: ['hooks'],
    value: 'LIST',
    parse: list,
    help: 'for add: what to tell of, separated by commas, as for the stream; block unless given',
  },
  after: {
    group: 'Webhooks',
    commands: ['hooks'],
    value: 'ID',
    parse: text,
    help: 'for add: begin after this event; 0.0000000000.4 is before the first block; what comes next unless given',
  },
} as const satisfies Record<string, OptionSpec>;
