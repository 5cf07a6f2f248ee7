import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { responseOf } from '../../../test/crash/program.ts';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { journalLength, openPlace } from '../../../test/support/places.ts';
import { freePort } from '../../../test/support/postgres.ts';
import type { Delivery } from '../../ingest/journal/entries.ts';
import { lookForChain } from '../storage/known-chain.ts';
import { startWaitingWriter } from './waiting-writer.ts';

const MAINNET = 1;
const SOURCE = '/archive.zst';
const foreign = new ChainBuilder('theirs', MAINNET).chain(12).map(({ delivery }) => delivery);

onSqliteAtLeast((engine, openFresh) => {
  test(`while archives are loaded into an empty index, events of the node decide no network, and wait up to a bound (${engine})`, async t => {
    const { data, database } = await openPlace(openFresh, t);
    const eventPort = await freePort();
    const writer = await startWaitingWriter(
      {
        ...{
          data,
          database,
          burnForkDepth: 7,
          minFreeSpace: 0,
          maxWaitingBytes: 10_000,
          journal: 'full',
          follow: undefined,
          logLevel: 'silent',
        },
        ...{ eventHost: '127.0.0.1', eventPort, eventSecret: undefined },
        ...{ maxGaps: 10, maxEventBytes: 1e8, maxEventNesting: 512 },
      },
      {
        logger: pino({ level: 'silent' }),
        signal: new AbortController().signal,
        archives: [SOURCE],
        onBlock: () => {},
        onFailure: error => assert.ifError(error),
      },
    );
    t.after(() => writer.close());
    const post = ({ path, body }: Delivery) =>
      responseOf(`http://127.0.0.1:${eventPort}${path}`, { method: 'POST', body: Buffer.from(body) });
    const responses = [];
    for (const delivery of foreign) responses.push(await post(delivery));
    const [first] = responses;
    assert.equal(first?.status, 200);
    const last = responses.at(-1);
    assert.deepEqual([last?.status, last?.body?.code, last?.retryAfter], [503, 'not_accepted', '1']);
    assert.match(String(last?.body?.message), /events that wait for the end of an archive take 10000 bytes already/);
    assert.match(String(last?.body?.hint), /--max-waiting-bytes/);
    assert.equal((await post(foreign[0] ?? assert.fail())).status, 200, 'what waits already is no further event');
    assert.equal(await journalLength({ data, database, chainId: MAINNET, args: [] }), 0);
    assert.equal((await lookForChain({ data, database })).chainId, undefined);
  });
});
