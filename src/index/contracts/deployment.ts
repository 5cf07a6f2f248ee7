import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/lib/json.ts';
import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';

/** An attempt to deploy a contract, successful or not. */
export interface Deployment {
  readonly contractId: string;
  readonly txId: string;
  /** The interface that the node sent, null if the deployment failed. */
  readonly contractInterface: unknown;
  /** The interface as JSON text in the served form. */
  readonly interfaceText: string | null;
  readonly clarityVersion: number | null;
  readonly source: string;
}

/** Deployments by transaction: a block is read twice, when it arrives and when it is applied, and sorting its interfaces takes long. */
const known = new WeakMap<TransactionFacts, Deployment>();

/** Reads a transaction as a deployment; undefined for other transactions. */
export function readDeployment(facts: TransactionFacts): Deployment | undefined {
  const deployment = known.get(facts) ?? deploymentOf(facts);
  if (deployment) known.set(facts, deployment);
  return deployment;
}

function deploymentOf({ txId, transaction, contractInterface }: TransactionFacts): Deployment | undefined {
  const { payload, origin } = transaction;
  if (payload.kind !== 'smart_contract') return undefined;
  return {
    contractId: `${origin.address}.${payload.name}`,
    txId,
    contractInterface,
    interfaceText: contractInterface === null ? null : interfaceText(contractInterface),
    clarityVersion: payload.clarityVersion,
    source: payload.source,
  };
}

/** The record of a contract while its deployment is canonical, keys in emitted order (getContractByIdV1). */
export function contractRecord(deployment: Deployment, height: number) {
  return {
    tx_id: deployment.txId,
    canonical: true,
    contract_id: deployment.contractId,
    block_height: height,
    clarity_version: deployment.clarityVersion,
    source_code: deployment.source,
    abi: deployment.interfaceText,
  };
}

/** JSON text without whitespace; the keys of every object, which are ASCII, by length, then bytewise (getContractByIdV1). */
export function interfaceText(json: unknown): string {
  return JSON.stringify(json, (_key, value: unknown) => (isJsonObject(value) ? sorted(value) : value));
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)));
}

/** Hash length in bytes; long enough to make collisions infeasible. */
const BYTES = 20;

/** The name of the list of contracts with exactly this source. */
export const sourceName = (source: string): string =>
  createHash('sha256').update(source).digest().toString('hex', 0, BYTES);
