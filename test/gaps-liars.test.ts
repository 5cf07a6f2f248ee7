import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { decodeNakamotoBlock } from '../src/base/codec/index.ts';
import type { NewBlock } from '../src/ingest/node/events/block.ts';
import { DEFAULT_NODE_ACCESS, NodeUnusable, RepairClient } from '../src/operate/gaps/node/client.ts';
import { introduce } from '../src/operate/gaps/node/questions.ts';
import { rebuild } from '../src/operate/gaps/node/rebuild.ts';
import { callProgram } from './support/call-program.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { deliverTo, openPlace } from './support/places.ts';
import {
  blocksIn,
  chainOfNode,
  type KnownToNode,
  NODE_TOKEN,
  replayReply,
  startReplayingNode,
  type Tamper,
} from './support/replaying-node.ts';
import { todaysEvents } from './support/todays-chain.ts';

/*
 * Every member of the replies of a node is changed, one at a time. What then is rebuilt is not what the chain has, so the block must be refused; or docs/spec/rebuilt-blocks.md names
 * the member as one that nothing proves.
 */

const events = todaysEvents();
const blocks = blocksIn(events);
const parentOf = (block: NewBlock) =>
  blocks.find(({ index_block_hash }) => index_block_hash === block.parent_index_block_hash);
/** Blocks within a tenure that a node can replay. */
const honest = blocks.filter(
  block =>
    parentOf(block)?.consensus_hash === block.consensus_hash &&
    block.transactions.every(({ status, raw_tx }) => status !== 'problematic_skipped' && !/07.{234}$/.test(raw_tx)),
);

let chain: ReadonlyMap<string, KnownToNode>;
before(async () => {
  chain = await chainOfNode(events);
});

/** Changes that no check notices, by reply and member; the page has each of these names. */
const UNPROVED: readonly RegExp[] = [
  /^replay signer_signature$/,
  /^replay transactions\.(tx_index|data|profiler|execution_stats)/,
  /^replay transactions\.(result_hex|execution_cost|vm_error|post_condition_aborted)/,
  /^replay transactions\.events\.(contract_event|(ft|nft)_\w+_event)/,
  /^replay transactions\.events\.stx_lock_event\./,
  // Only a transfer that a call makes: that of a transfer is in its bytes.
  /^replay transactions\.events\.stx_transfer_event\.memo$/,
  /^account unlock_height$/,
  /^info (server_version|stacks_tip_height)$/,
  /^pox epochs/,
];

type Path = readonly (string | number)[];

interface Reply {
  readonly transactions: readonly unknown[];
}

/** Every place in a reply, once for each name: the first of a list stands for its others. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) {
    const seen = new Set<string>();
    const inner = value.flatMap((item, i) => placesIn(item, [...path, i]));
    return [path, ...inner.filter(place => !seen.has(nameOf(place)) && seen.add(nameOf(place)))];
  }
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => placesIn(member, [...path, name]));
}

const nameOf = (path: Path): string => path.filter(step => typeof step === 'string').join('.');

/** Another value of the same kind. */
function changedLeaf(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return value.slice(1);
  if (typeof value !== 'string') return 'something';
  if (/^\d+$/.test(value)) return String(BigInt(value) + 1n);
  const last = value.at(-1) ?? '';
  return `${value.slice(0, -1)}${/[0-9a-f]/.test(last) ? (last === '0' ? '1' : '0') : 'X'}`;
}

function changedAt(value: unknown, [step, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item, i) => (i === step ? changedAt(item, rest, change) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, item]) => [name, name === step ? changedAt(item, rest, change) : item]),
  );
}

/** What the program makes of a block while the node changes its replies: the body, or why there is none. */
async function madeOf(t: TestContext, block: NewBlock, tamper: Tamper, limits: object = {}) {
  const node = await startReplayingNode(t, chain, tamper);
  const client = new RepairClient({
    ...DEFAULT_NODE_ACCESS,
    pauseMs: 0,
    retryMs: 0,
    ...limits,
    url: node.url,
    token: NODE_TOKEN,
  });
  const parent = parentOf(block);
  const decoded = decodeNakamotoBlock(chain.get(block.index_block_hash)?.sealed.raw ?? new Uint8Array());
  assert.ok(parent && decoded.ok);
  try {
    const facts = await introduce(client, 0x80000000, block.block_height);
    const context = { block: decoded.value, parent, parentView: null, signers: [] } as const;
    const made = await rebuild([{ client, facts }], { ...context, network: 'testnet', accept: 'AB' });
    return made.ok ? { body: JSON.stringify(made.value) } : { reason: made.error };
  } catch (error) {
    if (error instanceof NodeUnusable) return { reason: error.message };
    throw error;
  } finally {
    await node.stop();
  }
}

const KINDS: readonly (readonly [kind: string, path: RegExp])[] = [
  ['replay', /^\/v3\/blocks\/replay\//],
  ['account', /^\/v2\/accounts\//],
  ['info', /^\/v2\/info$/],
  ['pox', /^\/v2\/pox$/],
  ['lockups', /^\/v2\/map_entry\//],
];

test('each member of a reply that is changed has the block refused, or is documented as one that nothing proves', async t => {
  const unproved = new Set<string>();
  const tried = new Set<string>();
  for (const block of honest) {
    const replies = new Map<string, unknown>();
    const straight = await madeOf(t, block, (path, reply) => {
      const kind = KINDS.find(([, pattern]) => pattern.test(path))?.[0];
      if (kind !== undefined && !replies.has(kind)) replies.set(kind, reply);
      return undefined;
    });
    assert.ok('body' in straight, JSON.stringify(straight));
    for (const [kind, pattern] of KINDS)
      for (const place of placesIn(replies.get(kind))) {
        const name = `${kind} ${nameOf(place)}`;
        if (tried.has(name)) continue;
        tried.add(name);
        let isFirst = true;
        const made = await madeOf(t, block, (path, reply) => {
          if (!pattern.test(path) || !isFirst) return undefined;
          isFirst = false;
          return changedAt(reply, place, changedLeaf);
        });
        if ('body' in made) unproved.add(name);
      }
  }
  const unexpected = [...unproved].filter(name => !UNPROVED.some(pattern => pattern.test(name)));
  assert.deepEqual(unexpected, []);
  assert.ok(tried.size > 50, `${tried.size} members`);
  const page = readFileSync(join(import.meta.dirname, '../docs/spec/rebuilt-blocks.md'), 'utf8');
  for (const name of ['result_hex', 'execution_cost', 'vm_error', 'contract_event', 'unlock_height', 'memo'])
    assert.ok(page.includes(name), `the page does not name ${name}`);
});

test('a replay that fails, that is of another block, or that has other transactions is refused with the reason', async t => {
  const [block, other] = honest.filter(({ transactions }) => transactions.length > 1);
  assert.ok(block && other);
  const replayOf =
    (change: (reply: Reply) => unknown): Tamper =>
    (path, reply) =>
      path.includes('/replay/') ? change(reply as Reply) : undefined;
  const answers = (status: number) => () => (response: ServerResponse) => response.writeHead(status).end('too deep');
  const cases: readonly (readonly [change: (reply: Reply) => unknown, reason: RegExp])[] = [
    [() => replayReply(chain.get(other.index_block_hash) as KnownToNode), /its block_id is/],
    [reply => ({ ...reply, transactions: reply.transactions.toReversed() }), /its id is/],
    [reply => ({ ...reply, transactions: reply.transactions.slice(1) }), /number of transactions/],
    [() => [], /cannot be read/],
    [answers(500), /cannot replay it: 500 \(too deep\)/],
    [answers(404), /cannot replay it: 404/],
    [answers(401), /refuses replays \(401/],
    [() => Buffer.from('{"block_id":'), /cannot replay it: 200 \(body is not JSON/],
  ];
  for (const [change, reason] of cases) {
    const made = await madeOf(t, block, replayOf(change));
    assert.match('reason' in made ? made.reason : 'it was made', reason);
  }
});

test('a node that is slow, endless, cut off or elsewhere ends the repair, within its limits', async t => {
  const [block] = honest;
  assert.ok(block);
  const first =
    (respond: (response: ServerResponse) => void): Tamper =>
    path =>
      path === '/v2/info' ? respond : undefined;
  const endless = (response: ServerResponse): void => {
    const more = () => void (response.destroyed || response.write('x'.repeat(1000), more));
    more();
  };
  const cases: readonly (readonly [respond: (response: ServerResponse) => void, limits: object, reason: RegExp])[] = [
    [() => undefined, { timeoutMs: 50 }, /did not respond within 50 ms/],
    [endless, { maxBytes: 10_000 }, /responded with more than 10000 bytes/],
    [
      response => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
      {},
      /cannot be reached/,
    ],
    [response => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), {}, /cannot be reached/],
    [response => response.writeHead(503).end(), {}, /responded 503 to 3 requests/],
    [
      response =>
        response.end('{"server_version":"stacks-node 3.3.0.0.5","network_id":2147483648,"stacks_tip_height":99}'),
      {},
      /has version/,
    ],
    [
      response => response.end('{"server_version":"stacks-node 4.0.1","network_id":1,"stacks_tip_height":99}'),
      {},
      /is of chain 1,/,
    ],
    [
      response => response.end('{"server_version":"stacks-node 4.0.1","network_id":2147483648,"stacks_tip_height":0}'),
      {},
      /is at height 0/,
    ],
  ];
  for (const [respond, limits, reason] of cases) {
    const made = await madeOf(t, block, first(respond), limits);
    assert.match('reason' in made ? made.reason : 'it was made', reason);
  }
});

onSqliteAtLeast((engine, openFresh) => {
  test(`bytes that the identifier of a block does not prove end the repair, and signatures of no signer leave the gap (${engine})`, async t => {
    // Of a cycle whose signers are known.
    const block = honest.at(-1);
    assert.ok(block);
    const place = await openPlace(openFresh, t);
    await deliverTo(
      place,
      events.filter(
        ({ body }) => !Buffer.from(body).toString().includes(`"index_block_hash":"${block.index_block_hash}"`),
      ),
    );
    const raw = chain.get(block.index_block_hash)?.sealed.raw ?? new Uint8Array();
    const flipped = (at: number) => Uint8Array.from(raw, (byte, i) => (i === at ? byte ^ 1 : byte));
    const decoded = decodeNakamotoBlock(raw);
    assert.ok(decoded.ok);
    /** Of the key hash of the signer of the first transaction. */
    const intoFirst = decoded.value.headerBytes.length + 4 + 10;
    const signature = 1 + 8 + 8 + 20 + 32 + 32 + 32 + 8 + 65 + 4;
    const cases: readonly (readonly [bytes: Uint8Array, reason: RegExp])[] = [
      [flipped(5), /gave bytes for block 0x[0-9a-f]{64} that are of block/],
      [flipped(intoFirst), /have other transactions than its header proves/],
      [chain.get(block.parent_index_block_hash)?.sealed.raw ?? raw, /that are of block/],
      [raw.subarray(0, -1), /that are no block/],
      [flipped(signature + 40), /\tC\ta signature is of none of its signers/],
    ];
    for (const [bytes, reason] of cases) {
      const tamper: Tamper = path => (path === `/v3/blocks/${block.index_block_hash.slice(2)}` ? bytes : undefined);
      const node = await startReplayingNode(t, chain, tamper);
      const args = ['gaps', 'repair', '--node', node.url, '--node-pause', '0', '--pox-cycles', '0:10:2', ...place.args];
      const { code, output } = await callProgram(args, { env: { STACKS_INDEX_NODE_TOKEN: NODE_TOKEN } });
      assert.equal(code, 1);
      assert.match(output, reason);
    }
    const liar = await startReplayingNode(t, chain, (path, reply) =>
      path.includes('/replay/')
        ? changedAt(reply, ['transactions', 0, 'execution_cost', 'runtime'], changedLeaf)
        : undefined,
    );
    const honestNode = await startReplayingNode(t, chain);
    const both = ['gaps', 'repair', '--node', `${honestNode.url},${liar.url}`, '--node-pause', '0', ...place.args];
    const { output } = await callProgram(both, { env: { STACKS_INDEX_NODE_TOKEN: NODE_TOKEN } });
    assert.match(output, /\tC\tthe replays of the nodes differ/);
  });
});
