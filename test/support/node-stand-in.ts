import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getSDK } from '@stacks/clarinet-sdk';
import { Cl } from '@stacks/transactions';
import { decodeTransaction } from '../../src/base/codec/index.ts';
import { fromHex } from '../../src/base/lib/hex.ts';
import { readArchive } from '../../src/ingest/node/archive/read.ts';
import { parseEvent } from '../../src/ingest/node/events/parse.ts';
import { quietly } from './quietly.ts';

/** A contract as its deployment brings it. */
export interface Deployment {
  readonly contractId: string;
  readonly source: string;
  /** Null: the newest. */
  readonly clarityVersion: number | null;
  readonly contractInterface: object;
}

export interface NodeStandIn {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Calls answered so far. */
  readonly calls: () => number;
  /** Resolves when the contracts are deployed; calls that come before wait for it. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** The successful deployments of the canonical blocks of an archive, in order. */
export async function deploymentsOf(archive: string): Promise<Deployment[]> {
  const deployments = new Map<string, Deployment>();
  for await (const row of readArchive(archive)) {
    const event = row.kind === 'event' ? parseEvent(row.path, row.body) : undefined;
    if (!event?.ok || event.value.path !== '/new_block') continue;
    for (const { raw_tx: rawTx, contract_interface: contractInterface } of event.value.block.transactions) {
      const deployment = contractInterface && deploymentOf(rawTx, contractInterface);
      if (deployment) deployments.set(deployment.contractId, deployment);
    }
  }
  return [...deployments.values()];
}

function deploymentOf(rawTx: string, contractInterface: Readonly<Record<string, unknown>>): Deployment | undefined {
  const decoded = decodeTransaction(fromHex(rawTx) ?? new Uint8Array());
  if (!decoded.ok || decoded.value.payload.kind !== 'smart_contract') return undefined;
  const { origin, payload } = decoded.value;
  const { name, source } = payload;
  const clarityVersion = Number(String(contractInterface.clarity_version).replace('Clarity', '')) || null;
  return { contractId: `${origin.address}.${name}`, source, clarityVersion, contractInterface };
}

/**
 * A node as far as token metadata needs one: `call-read` on contracts that are run by the Clarity VM, in the state after their
 * deployment, whatever `tip` says.
 */
export async function startNodeStandIn(deployments: Promise<readonly Deployment[]>): Promise<NodeStandIn> {
  let calls = 0;
  const vm = deployments.then(deployAll);
  vm.catch(() => {}); // told by `ready`
  const server = createServer(async (request, response) => {
    calls++;
    try {
      await respond(await vm, request, response);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    ready: vm.then(() => {}),
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Contracts that run. */
export type Vm = Awaited<ReturnType<typeof getSDK>>;

/** A Clarity VM with these contracts. */
export async function deployAll(deployments: readonly Deployment[]): Promise<Vm> {
  const vm = await getSDK({ trackCosts: false, trackCoverage: false });
  await vm.initEmptySession(undefined);
  vm.setEpoch('3.0');
  for (const { contractId, source, clarityVersion } of deployments) {
    const [sender = '', name = ''] = contractId.split('.');
    const options = clarityVersion === null ? null : { clarityVersion: clarityVersion as 1 };
    // What does not run here is unknown here, as on a node that lags behind.
    try {
      quietly(() => vm.deployContract(name, source, options, sender));
    } catch {}
  }
  return vm;
}

/** The body of a `call-read`. */
export interface CallBody {
  readonly sender: string;
  readonly arguments: readonly string[];
}

const CALL_READ = /^\/v2\/contracts\/call-read\/([^/]+)\/([^/]+)\/([^/?]+)/;

async function respond(vm: Vm, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, address, contract, functionName = ''] = CALL_READ.exec(request.url ?? '') ?? [];
  if (request.method !== 'POST' || !address) return void response.writeHead(404).end('no such path');
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body: CallBody = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(call(vm, `${address}.${contract}`, functionName, body)));
}

/** The response of a node to `call-read`. */
export function call(vm: Vm, contractId: string, functionName: string, { sender, arguments: args }: CallBody) {
  try {
    const values = args.map(hex => Cl.deserialize(hex));
    const { result } = quietly(() => vm.callReadOnlyFn(contractId, functionName, values, sender));
    return { okay: true, result: `0x${Cl.serialize(result)}` };
  } catch (error) {
    return { okay: false, cause: causeOf(String(error)) };
  }
}

/** What a node says, of what the VM says. */
function causeOf(message: string): string {
  const check = /RuntimeCheck\(.*\)/s.exec(message)?.[0];
  if (check) return check;
  const runtime = /Runtime\((\w+)/.exec(message)?.[1];
  if (runtime) return `${runtime}\n Stack Trace: \n`;
  if (/^\S*Contract '.*' does not exist|-> Contract '.*' does not exist/.test(message))
    return 'RuntimeCheck(NoSuchContract(".."))';
  return /Method '.*' does not exist/.test(message) ? 'RuntimeCheck(UndefinedFunction(".."))' : message;
}
