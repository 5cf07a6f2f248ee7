import { DEFAULT_NODE_ACCESS } from '../../operate/gaps/node/client.ts';
import { anyText, choice, webUrls, wholeNumber } from './option-parsers.ts';
import type { OptionSpec } from './option-spec.ts';

/** Options about rebuilding missing blocks from the RPC of a node. */
export const REPAIR_OPTIONS = {
  'repair-gaps': {
    group: 'Gaps',
    commands: ['serve'],
    help: 'rebuild missing blocks of class A by itself, from the node of --node; docs/spec/rebuilt-blocks.md has the classes and what is not proved',
  },
  'repair-delay': {
    group: 'Gaps',
    commands: ['serve'],
    value: 'MS',
    parse: wholeNumber(100, 86_400_000),
    env: 'STACKS_INDEX_REPAIR_DELAY',
    default: '60000',
    help: 'with --repair-gaps: how long a block must have been missing, in milliseconds; attempts that fail follow after twice, four, eight times as long, at most ten in all',
  },
  node: {
    group: 'Gaps',
    commands: ['serve', 'gaps'],
    value: 'URLS',
    parse: webUrls,
    env: 'STACKS_INDEX_REPAIR_NODE',
    help: 'with gaps repair or serve --repair-gaps: rebuild missing blocks from the RPC of this node, http://host:port; a second one after a comma must agree with the first',
  },
  'node-token': {
    group: 'Gaps',
    commands: ['serve', 'gaps'],
    value: 'TEXT',
    parse: anyText,
    secret: true,
    environmentOnly: true,
    env: 'STACKS_INDEX_NODE_TOKEN',
    help: 'auth_token of the node, without which it replays no block; sent with requests for replays alone',
  },
  'node-timeout': {
    group: 'Gaps',
    commands: ['serve', 'gaps'],
    value: 'MS',
    parse: wholeNumber(100, 3_600_000),
    env: 'STACKS_INDEX_NODE_TIMEOUT',
    default: String(DEFAULT_NODE_ACCESS.timeoutMs),
    help: 'time in which the node must respond to one request, in milliseconds; a node that is busy gets each request up to three times',
  },
  'node-pause': {
    group: 'Gaps',
    commands: ['serve', 'gaps'],
    value: 'MS',
    parse: wholeNumber(0, 3_600_000),
    env: 'STACKS_INDEX_NODE_PAUSE',
    default: String(DEFAULT_NODE_ACCESS.pauseMs),
    help: 'pause between two requests to the node, in milliseconds: while it replays a block, it does nothing else',
  },
  'node-max-bytes': {
    group: 'Gaps',
    commands: ['serve', 'gaps'],
    value: 'BYTES',
    parse: wholeNumber(1024, 512 * 1024 * 1024),
    env: 'STACKS_INDEX_NODE_MAX_BYTES',
    default: String(DEFAULT_NODE_ACCESS.maxBytes),
    help: 'largest response of the node that is read',
  },
  accept: {
    group: 'Gaps',
    commands: ['gaps'],
    value: 'A|AB',
    parse: choice('A', 'AB'),
    default: 'AB',
    help: 'classes of blocks that are rebuilt; docs/spec/rebuilt-blocks.md explains them',
  },
  rebuilt: {
    group: 'Gaps',
    commands: ['gaps'],
    help: 'list the blocks that the index holds as they were rebuilt, in place of the missing ones',
  },
  'with-rebuilt': {
    group: 'Gaps',
    commands: ['export'],
    help: 'also write the blocks that were rebuilt from a node; other programs do not read these lines',
  },
} as const satisfies Record<string, OptionSpec>;
