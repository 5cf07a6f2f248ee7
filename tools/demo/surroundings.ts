/** A process of its own beside the demo: a node whose contracts a Clarity VM runs, and a gateway with documents and pictures. */
import { join } from 'node:path';
import { startCollectionWeb, withContentAtGateway } from '../../test/support/collection-web.ts';
import { deploymentsOf, startNodeStandIn } from '../../test/support/node-stand-in.ts';

const archive = join(import.meta.dirname, '../../examples/sample-chain.tsv.gz');
const web = await startCollectionWeb();
const { promise: begin, resolve: deploy } = Promise.withResolvers<void>();
const node = await startNodeStandIn(begin.then(async () => withContentAtGateway(await deploymentsOf(archive))));
process.send?.({ node: node.url, gateway: web.url, host: web.host });
// Deploying keeps the process busy: first the addresses go out.
setImmediate(deploy);
// It goes with the demo, however that ends.
process.once('disconnect', () => process.exit());
// Ctrl-C goes to both; the demo says when.
process.on('SIGINT', () => {});
