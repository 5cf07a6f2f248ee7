/**
 * Decode speed of this codec against @stacks/transactions, on the same transactions and values, in the same process.
 * Run: node bench/decode.ts
 */
import { Cl, cvToString, deserializeCV, deserializeTransaction } from '@stacks/transactions';
import { clarityRepr, decodeClarityValue, decodeTransaction } from '../src/codec/index.ts';
import { sampleTransactions, sampleValues } from './samples.ts';

const SECONDS_PER_RUN = 1;

const transactions = await sampleTransactions();
const values = sampleValues();

compare('transactions', 'txs/s', transactions, [
  ['this codec: decode, id, reprs of arguments', bytes => decodeTransaction(bytes)],
  [
    '@stacks/transactions: deserialize, id, reprs',
    bytes => {
      const tx = deserializeTransaction(bytes);
      tx.txid();
      if ('functionArgs' in tx.payload) for (const arg of tx.payload.functionArgs) cvToString(arg);
    },
  ],
]);
compare('Clarity values to repr', 'values/s', values, [
  ['this codec: clarityRepr', bytes => clarityRepr(bytes)],
  ['@stacks/transactions: deserializeCV, cvToString', bytes => cvToString(deserializeCV(bytes))],
]);
compare('Clarity values to trees', 'values/s', values, [
  ['this codec: decodeClarityValue', bytes => decodeClarityValue(bytes)],
  ['@stacks/transactions: deserializeCV', bytes => Cl.deserialize(bytes)],
]);

type Contender = readonly [name: string, decode: (bytes: Uint8Array) => unknown];

/** The first contender is ours; the ratio says how many times faster it is than the second. */
function compare(title: string, unit: string, inputs: readonly Uint8Array[], contenders: readonly Contender[]): void {
  console.log(`${title} (${inputs.length} different)`);
  const speeds = contenders.map(([name, decode]) => {
    const speed = measure(inputs, decode);
    console.log(`  ${Math.round(speed).toLocaleString('en').padStart(12)} ${unit}  ${name}`);
    return speed;
  });
  const [ours = 0, theirs = 1] = speeds;
  console.log(`  ratio ${(ours / theirs).toFixed(1)}\n`);
}

/** Inputs decoded per second, over whole rounds, after a warm-up of a fifth of the time. */
function measure(inputs: readonly Uint8Array[], decode: (bytes: Uint8Array) => unknown): number {
  run(inputs, decode, SECONDS_PER_RUN / 5);
  return run(inputs, decode, SECONDS_PER_RUN);
}

function run(inputs: readonly Uint8Array[], decode: (bytes: Uint8Array) => unknown, seconds: number): number {
  const start = performance.now();
  let rounds = 0;
  let elapsed = 0;
  while (elapsed < seconds) {
    for (const input of inputs) decode(input);
    rounds++;
    elapsed = (performance.now() - start) / 1000;
  }
  return (rounds * inputs.length) / elapsed;
}
