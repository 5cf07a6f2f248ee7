import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';
import {
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';
import { readArchive } from '../../../ingest/node/archive/read.ts';
import { knownPrint } from './known-prints.ts';

const BOOT = 'ST000000000000000000002AMW42H';
const [ALICE, BOB] = [accountAddress(1), accountAddress(2)];

/** The text of a sentence; undefined without one. */
const textOf = (contract: string, print: Uint8Array | string): string | undefined =>
  knownPrint(contract, { hex: typeof print === 'string' ? print : toHex(print), repr: '' })
    ?.toString()
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ');

const uint = encodeClarityUint;
const staked = (members: Record<string, Uint8Array>) =>
  encodeClarityTuple({
    topic: encodeClarityAscii('add-to-allowlist'),
    staker: encodeClarityPrincipal(ALICE),
    'bond-index': uint(7),
    'max-sats': uint(150_000_000),
    ...members,
  });
const moved = encodeClarityTuple({
  type: encodeClarityAscii('sft_transfer'),
  'token-id': uint(2),
  amount: uint(13),
  sender: encodeClarityPrincipal(ALICE),
  recipient: encodeClarityPrincipal(BOB),
});

test('a print of a contract of the chain is a sentence, and the same print of another contract is not', () => {
  const sentence = textOf(`${BOOT}.pox-5`, staked({}));
  assert.match(sentence ?? '', /^ST\w+…\w+ may join bond 7 with up to 1\.5 BTC$/);
  assert.equal(textOf(`${ALICE}.pox-5`, staked({})), undefined);
  assert.equal(textOf(`${BOOT}.pox-4`, staked({})), undefined);
});

test('a print that lacks a member, or has one of another type, says nothing', () => {
  assert.equal(textOf(`${BOOT}.pox-5`, staked({ 'max-sats': encodeClarityAscii('1') })), undefined);
  assert.equal(textOf(`${BOOT}.pox-5`, staked({ topic: encodeClarityAscii('constructor') })), undefined);
  assert.equal(textOf(`${BOOT}.pox-5`, uint(1)), undefined);
  assert.equal(textOf(`${BOOT}.pox-5`, '0x0c'), undefined);
});

test('what a standard has any contract print is told as what it says', () => {
  assert.match(textOf(`${ALICE}.sft`, moved) ?? '', /^it says that ST\w+…\w+ gave ST\w+…\w+ 13 of #2$/);
});

test('the parts of a name are text, whatever they are', () => {
  const bytes = (text: string) => encodeClarityBuffer(Buffer.from(text));
  const print = encodeClarityTuple({
    namespace: bytes('<script>'),
    status: encodeClarityAscii('ready'),
  });
  const html = knownPrint(`${BOOT}.bns`, { hex: toHex(print), repr: '' })?.toString() ?? '';
  assert.match(html, /\.&lt;script&gt;/);
});

/** Prints that say nothing to readers. */
const UNSAID = [`${BOOT}.genesis`, `${BOOT}.signers-voting`];

test('whatever contracts of the chain printed in the sample chain and the chain of today is a sentence', async () => {
  const said = new Map<string, number>();
  for (const file of ['examples/sample-chain.tsv.gz', 'test/fixtures/todays-chain.tsv.gz'])
    for await (const row of readArchive(join(import.meta.dirname, '../../../..', file))) {
      if (row.kind !== 'event' || !row.path.endsWith('new_block')) continue;
      const { events } = JSON.parse(Buffer.from(row.body).toString()) as { events: readonly Event[] };
      for (const { contract_event: print } of events) {
        if (!print?.contract_identifier.startsWith(`${BOOT}.`) || UNSAID.includes(print.contract_identifier)) continue;
        const sentence = textOf(print.contract_identifier, print.raw_value);
        assert.ok(sentence, `${print.contract_identifier} ${print.raw_value}`);
        assert.doesNotMatch(sentence, /undefined|NaN|nobody/);
        said.set(print.contract_identifier, (said.get(print.contract_identifier) ?? 0) + 1);
      }
    }
  assert.deepEqual([...said.keys()].sort(), [`${BOOT}.bns`, `${BOOT}.pox-4`, `${BOOT}.pox-5`]);
});

interface Event {
  readonly contract_event?: { readonly contract_identifier: string; readonly raw_value: string };
}
