import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { replay } from '../src/cli/commands/replay.ts';
import { servingOptions, startServing } from '../src/cli/commands/serve.ts';
import { readOptions } from '../src/cli/options/options.ts';
import { type CollectionWeb, startCollectionWeb, withContentAtGateway } from './support/collection-web.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { deploymentsOf, type NodeStandIn, startNodeStandIn } from './support/node-stand-in.ts';
import { openPlace } from './support/places.ts';
import { scale } from './support/scale.ts';
import { until } from './support/until.ts';

const ARCHIVE = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
/** Its tokens have their documents at example.com, which has no such documents. */
const SEMI_FUNGIBLE = 'ST2P5B3BN0DMZ6DSN0XXTAZ739E575BMS5HHNG6TD.sft';
const IN_PROGRESS = 'Token metadata fetch in progress';

const skip = scale === 'short' && 'npm run test:all runs the contracts';
let node: NodeStandIn;
let web: CollectionWeb;

before(async () => {
  if (skip !== false) return;
  node = await startNodeStandIn(deploymentsOf(ARCHIVE).then(withContentAtGateway));
  web = await startCollectionWeb();
  await node.ready;
});

after(async () => {
  await node?.close();
  await web?.close();
});

/** The body of the first response that is not "in progress". */
async function settled(url: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  let settled: { readonly status: number; readonly body: Record<string, unknown> } | undefined;
  const isSettled = async () => {
    const response = await fetch(url);
    settled = { status: response.status, body: (await response.json()) as Record<string, unknown> };
    return settled.body.error !== IN_PROGRESS;
  };
  await until(isSettled, `${url} is in progress for ever`);
  assert.ok(settled);
  return settled;
}

onSqliteAtLeast((_, openFresh) => {
  test('the tokens of the sample chain get their metadata from contracts in a Clarity VM and files of a gateway', {
    skip,
  }, async t => {
    const place = await openPlace(openFresh, t);
    const logger = pino({ level: 'silent' });
    const args = ['serve', ...place.args, '--chain-id', '0x80000000', '--port', '0', '--event-port', '0'];
    const options = readOptions(
      [
        ...args,
        ...['--node-rpc', node.url, '--metadata-ipfs-gateways', web.url, '--metadata-check-cids', 'off'],
        ...['--metadata-allow-hosts', web.host, '--log-level', 'silent'],
        ...(place.database === undefined ? [] : ['--metadata-images', 'off']),
      ],
      {},
    );
    const loaded = await replay({ ...options, operands: [ARCHIVE] }, logger, new AbortController().signal);
    assert.equal(loaded, 0);
    const running = await startServing(servingOptions(options), logger);
    t.after(() => running.close());
    const api = `http://127.0.0.1:${running.apiPort}`;

    const contracts = await fetch(`${api}/metadata/v1/`);
    assert.equal(contracts.status, 200);
    const minted = await fetch(`${api}/extended/v1/tx/?type=smart_contract&limit=50`);
    const { results } = (await minted.json()) as {
      results: { tx_status: string; smart_contract: { contract_id: string } }[];
    };
    const collections = results
      .filter(tx => tx.tx_status === 'success')
      .map(tx => tx.smart_contract.contract_id)
      .toSorted();
    let complete = 0;
    for (const contractId of collections) {
      const { status, body } = await settled(`${api}/metadata/v1/nft/${contractId}/1`);
      const [, name] = contractId.split('.');
      const metadata = body.metadata as Record<string, unknown> | undefined;
      if (status !== 200 || body.token_uri !== `ipfs://${name}/1.json`) continue;
      assert.equal(metadata?.name, `${name} #1`);
      assert.equal(metadata?.image, `ipfs://${name}/1.png`);
      complete++;
    }
    assert.ok(complete > 0, `none of ${collections.join(', ')}`);
    for (const id of [1, 2, 3, 4, 5]) {
      const { status, body } = await settled(`${api}/metadata/v1/sft/${SEMI_FUNGIBLE}/${id}`);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal((body.metadata as Record<string, unknown>).name, `sft #${id}`);
    }
    assert.ok(node.calls() > 0);
  });
});
