import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../src/base/lib/json.ts';
import { readTransactions } from '../../src/ingest/chain/block-facts.ts';
import { nodeTransaction } from '../../src/ingest/node/events/transaction.ts';
import { transactionEvent } from '../../src/ingest/node/events/transaction-event.ts';
import { referencePath, withoutReference } from '../support/reference-material.ts';

const VECTORS = 'spec/codec-vectors.json';

interface Vector {
  readonly id: number;
  readonly kind: string;
  readonly input: { transaction: JsonObject; events: unknown[]; block: { burn_block_height: number } };
  readonly expected: null | { sender_address: string; parsed_tx: { payload: Record<string, unknown> } };
}

describe('Bitcoin operations of mainnet', { skip: withoutReference(VECTORS) }, () => {
  const vectors = (JSON.parse(readFileSync(referencePath(VECTORS), 'utf8')) as Vector[]).filter(
    ({ kind }) => kind === 'burnchain_op_tx',
  );
  for (const vector of vectors) {
    test(`Bitcoin operation of mainnet, vector ${vector.id}, becomes the recorded transaction`, () => {
      const { transaction, events, block } = vector.input;
      const { txs, unreadable } = readTransactions(
        [nodeTransaction(transaction, transaction)],
        events.map(event => transactionEvent(event, {})),
        { burnBlockHeight: block.burn_block_height, network: 'mainnet' },
      );
      assert.deepEqual(unreadable, []);
      assert.equal(txs.length, vector.expected === null ? 0 : 1);
      if (vector.expected && txs[0]) comparePayload(txs[0].transaction, vector.expected);
    });
  }
});

type Expected = NonNullable<Vector['expected']>;

function comparePayload(
  tx: ReturnType<typeof readTransactions>['txs'][number]['transaction'],
  expected: Expected,
): void {
  assert.equal(tx.origin.address, expected.sender_address);
  const { payload } = expected.parsed_tx;
  if (tx.payload.kind === 'token_transfer') {
    const { recipient, amount, memo } = tx.payload;
    assert.deepEqual(
      [recipient, String(amount), memo],
      [(payload.recipient as { address: string }).address, payload.amount, payload.memo_hex],
    );
    return;
  }
  assert.equal(tx.payload.kind, 'contract_call');
  if (tx.payload.kind !== 'contract_call') return;
  assert.equal(tx.payload.contractId, `${payload.address}.${payload.contract_name}`);
  assert.equal(tx.payload.functionName, payload.function_name);
  const args = payload.function_args as { hex: string; repr: string }[];
  assert.deepEqual(
    tx.payload.args.map(({ hex, repr }) => ({ hex, repr })),
    args.map(({ hex, repr }) => ({ hex, repr })),
  );
}
