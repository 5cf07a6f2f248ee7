/**
 * Compares the decode speed of this codec with @stacks/transactions, on the same transactions and values, in the same process.
 * `npm run bench -- decode`
 */
import { parseArgs } from 'node:util';
import { Cl, cvToString, deserializeCV, deserializeTransaction } from '@stacks/transactions';
import { clarityRepr, decodeClarityValue, decodeTransaction } from '../src/base/codec/index.ts';
import { saveTables, TablePrinter } from './report.ts';
import { sampleTransactions, sampleValues } from './samples.ts';

const SECONDS_PER_RUN = 1;

const { values: options } = parseArgs({ options: { json: { type: 'string' } } });

const transactions = await sampleTransactions();
const values = sampleValues();

const printer = new TablePrinter('Decoding against @stacks/transactions, values/s', [
  { key: 'what', title: 'what' },
  { key: 'ours', title: 'this codec' },
  { key: 'theirs', title: 'theirs' },
  { key: 'ratio', title: 'ratio', digits: 1 },
]);
compare(
  'transactions: fields, id, reprs',
  transactions,
  bytes => decodeTransaction(bytes),
  bytes => {
    const tx = deserializeTransaction(bytes);
    tx.txid();
    if ('functionArgs' in tx.payload) for (const arg of tx.payload.functionArgs) cvToString(arg);
  },
);
compare(
  'Clarity values to repr',
  values,
  bytes => clarityRepr(bytes),
  bytes => cvToString(deserializeCV(bytes)),
);
compare(
  'Clarity values to trees',
  values,
  bytes => decodeClarityValue(bytes),
  bytes => Cl.deserialize(bytes),
);
saveTables(options.json, [printer.table]);

type Decode = (bytes: Uint8Array) => unknown;

/** The ratio is how many times faster ours is than theirs. */
function compare(what: string, inputs: readonly Uint8Array[], decodeOurs: Decode, decodeTheirs: Decode): void {
  const [ours, theirs] = [measure(inputs, decodeOurs), measure(inputs, decodeTheirs)];
  printer.add({ what, ours, theirs, ratio: ours / theirs });
}

/** Inputs decoded per second, over whole rounds, after a warm-up of a fifth of the time. */
function measure(inputs: readonly Uint8Array[], decode: Decode): number {
  run(inputs, decode, SECONDS_PER_RUN / 5);
  return run(inputs, decode, SECONDS_PER_RUN);
}

function run(inputs: readonly Uint8Array[], decode: Decode, seconds: number): number {
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
