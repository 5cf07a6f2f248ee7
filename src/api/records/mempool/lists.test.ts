import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced, callOf, deployOf, dropped, transferOf } from '../../../../test/support/pending-transactions.ts';
import { openTestMempool } from '../../../../test/support/test-mempool.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { pendingSums, pendingSumsOfPayer } from './queries.ts';

/** Accounts that send, pay and receive. */
const [A, B, C] = [9, 7, 8];

/** Transfers of each account to each, also to itself, calls, deployments, and such as another account pays for. */
function transactions(): BuiltTx[] {
  const txs: BuiltTx[] = [];
  const nonces = new Map<number, number>();
  const next = (account: number) => {
    const nonce = nonces.get(account) ?? 0;
    nonces.set(account, nonce + 1);
    return nonce;
  };
  for (const from of [A, B, C]) {
    const payment = (fee: number) => ({ from, nonce: next(from), fee });
    for (const [i, to] of [A, B, C].entries()) txs.push(transferOf(payment(900 - 100 * i - from), to, 10 * from + to));
    txs.push(callOf('counter', 'add', payment(250)), deployOf('counter', 'add', payment(300 + from)));
    const sponsor = from === A ? B : A;
    txs.push(transferOf({ ...payment(70), sponsor: { from: sponsor, nonce: 1_000 + next(sponsor + 100) } }, C, 5));
  }
  return txs;
}

onSqliteAtLeast((engine, openFresh) => {
  test(`pages with any filters have what passes them, in every order (${engine})`, async t => {
    const { index } = await openTestMempool(openFresh, t);
    const txs = transactions();
    for (const tx of txs) await index.deliver(announced(tx));
    const ofAll = async (query: string) =>
      (await index.get(`/extended/v1/tx/mempool?limit=50${query}`)).body as {
        readonly total: number;
        readonly results: readonly Shown[];
      };
    const principals = [...[A, B, C].map(accountAddress), `${accountAddress(A)}.counter`, accountAddress(1)];
    const choices = [undefined, ...principals];
    const orders = ['age', 'size', 'fee'].flatMap(by => ['asc', 'desc'].map(order => `&order_by=${by}&order=${order}`));
    const all = await Promise.all(orders.map(ofAll));
    let found = 0;
    for (const sender of choices)
      for (const recipient of choices)
        for (const address of choices) {
          const isOther = address !== undefined && (sender ?? recipient) !== undefined;
          if (isOther || sender?.includes('.')) continue; // a 400; contracts send nothing
          const filters = { sender_address: sender, recipient_address: recipient, address };
          const query = Object.entries(filters).flatMap(([name, value]) =>
            value === undefined ? [] : `&${name}=${value}`,
          );
          const i = found++ % orders.length;
          const page = await ofAll(`${query.join('')}${orders[i]}`);
          const wanted = all[i]?.results.filter(tx => passes(tx, { sender, recipient, address })) ?? [];
          assert.deepEqual(page.results.map(idOf), wanted.map(idOf), query.join('') + orders[i]);
          assert.equal(page.total, wanted.length);
        }
    for (const principal of principals) {
      const { body } = await index.get(`/extended/v3/principals/${principal}/mempool/transactions?limit=50`);
      const own = (await ofAll('')).results.filter(tx =>
        [tx.sender_address, tx.sponsor_address, recipientOf(tx), contractOf(tx)].includes(principal),
      );
      assert.deepEqual(body.results.map(idOf).sort(), own.map(idOf).sort(), principal);
      assert.equal(body.total, own.length);
    }
  });

  test(`sums of what is pending follow what comes and leaves (${engine})`, async t => {
    const { index, database } = await openTestMempool(openFresh, t);
    const txs = transactions();
    const expect = async (pending: readonly BuiltTx[]) => {
      const shown = await Promise.all(
        pending.map(async ({ txId }) => (await index.get(`/extended/v1/tx/${txId}`)).body as Shown),
      );
      const sum = (amounts: readonly (string | undefined)[]) =>
        String(amounts.reduce((total, amount) => total + BigInt(amount ?? 0), 0n));
      for (const principal of [A, B, C].map(accountAddress)) {
        const [mine, paid] = [
          shown.filter(tx => tx.sender_address === principal),
          shown.filter(tx => (tx.sponsor_address ?? tx.sender_address) === principal),
        ];
        const inbound = sum(shown.filter(tx => recipientOf(tx) === principal).map(tx => tx.token_transfer?.amount));
        const sent = mine.map(tx => tx.token_transfer?.amount);
        const others = paid.filter(tx => !mine.includes(tx));
        const outbound = sum([...sent, ...[...mine, ...others].map(tx => tx.fee_rate)]);
        assert.deepEqual(await database.read(queries => pendingSums(queries, principal)), { inbound, outbound });
        assert.deepEqual(await database.read(queries => pendingSumsOfPayer(queries, principal)), {
          inbound,
          outbound: sum([...sent, ...paid.map(tx => tx.fee_rate)]),
        });
      }
    };
    await index.deliver(announced(...txs));
    await expect(txs);
    await index.deliver(dropped('DroppedTooExpensive', txs.slice(2, 9)));
    await expect([...txs.slice(0, 2), ...txs.slice(9)]);
    await index.deliver(dropped('DroppedTooExpensive', txs));
    const { pending_lists, pending_sums } = await index.dump();
    assert.deepEqual([pending_lists, pending_sums], [[], []]);
  });
});

/** What the tests read of a transaction as version 1 shows it. */
interface Shown {
  readonly tx_id: string;
  readonly sender_address: string;
  readonly sponsor_address?: string;
  readonly fee_rate: string;
  readonly token_transfer?: { readonly recipient_address: string; readonly amount: string };
  readonly contract_call?: { readonly contract_id: string };
  readonly smart_contract?: { readonly contract_id: string };
}

const idOf = ({ tx_id }: { readonly tx_id: string }): string => tx_id;
const recipientOf = (tx: Shown): string | undefined => tx.token_transfer?.recipient_address;
const contractOf = (tx: Shown): string | undefined => (tx.contract_call ?? tx.smart_contract)?.contract_id;

interface Filters {
  readonly sender: string | undefined;
  readonly recipient: string | undefined;
  readonly address: string | undefined;
}

function passes(tx: Shown, { sender, recipient, address }: Filters): boolean {
  const of = [tx.sender_address, recipientOf(tx), contractOf(tx)];
  return (
    (sender === undefined || tx.sender_address === sender) &&
    (recipient === undefined || recipientOf(tx) === recipient) &&
    (address === undefined || of.includes(address))
  );
}
