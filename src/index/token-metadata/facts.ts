import { type ClarityTuple, type ClarityValue, decodeClarityValue, tupleMember } from '../../base/codec/index.ts';
import { fromHex } from '../../base/lib/hex.ts';
import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import { readDeployment } from '../contracts/deployment.ts';
import { clarityText, NOTIFICATION, readNotification, type UpdateNotification } from './notification.ts';
import { type TokenInterface, type TokenStandard, tokenInterface } from './standard.ts';

/** One fact about tokens from a transaction. Its contract need not be a token contract. */
export type TokenFact = { readonly txId: string; readonly contractId: string } & (
  | { readonly kind: 'deploy'; readonly sender: string; readonly found: TokenInterface }
  /** A new or repeated mint of a token of a contract that should follow this standard. */
  | { readonly kind: 'mint'; readonly standard: TokenStandard; readonly token: string }
  | { readonly kind: 'update'; readonly notification: UpdateNotification }
);

/** The facts of these transactions in chain order. Failed transactions and malformed data yield none. Never throws. */
export function tokenFacts(txs: readonly TransactionFacts[]): TokenFact[] {
  return txs.filter(({ status }) => status === 'success').flatMap(factsOf);
}

function factsOf(tx: TransactionFacts): TokenFact[] {
  const { txId, events, transaction } = tx;
  const deployed = deployFact(tx);
  return [...(deployed ? [deployed] : []), ...tokenFactsOfEvents(events, txId, transaction.origin.address)];
}

/** The facts of the events of a transaction that succeeded. */
export const tokenFactsOfEvents = (events: readonly EventFacts[], txId: string, sender: string): TokenFact[] =>
  events.map(event => eventFact(event, txId, sender)).filter(fact => fact !== undefined);

function deployFact(tx: TransactionFacts): TokenFact | undefined {
  const deployment = readDeployment(tx);
  const found = deployment && tokenInterface(deployment.contractInterface);
  if (!found) return undefined;
  const { txId, contractId } = deployment;
  return { kind: 'deploy', txId, contractId, sender: tx.transaction.origin.address, found };
}

function eventFact(event: EventFacts, txId: string, sender: string): TokenFact | undefined {
  switch (event.kind) {
    case 'nft':
      return event.action === 'mint' ? nftMint(event.asset, event.value, txId) : undefined;
    case 'log':
      return event.topic === 'print' ? printFact(event, txId, sender) : undefined;
    case 'stx':
    case 'ft':
    case 'stx_lock':
      return undefined;
    default:
      return event satisfies never;
  }
}

function printFact(
  { contractId, value }: Extract<EventFacts, { kind: 'log' }>,
  txId: string,
  sender: string,
): TokenFact | undefined {
  if (contains(value, NOTIFICATION)) {
    const print = decodeTuple(value);
    return print && update(print, contractId, sender, txId);
  }
  if (contains(value, SFT_MINT)) {
    const print = decodeTuple(value);
    return print && sftMint(print, contractId, txId);
  }
  return undefined;
}

/** A mint of an NFT. Tokens of SIP-009 have uint ids; other NFTs are not such tokens. */
function nftMint(asset: string, value: string, txId: string): TokenFact | undefined {
  const [contractId = ''] = asset.split('::', 1);
  const id = value.startsWith(UINT) && isContractId(contractId) ? decode(value) : undefined;
  return id?.type === 'uint'
    ? { kind: 'mint', txId, contractId, standard: 'sip-009', token: String(id.value) }
    : undefined;
}

const UINT = '0x01';
const SFT_MINT = 'sft_mint';

/** Only the contract's own prints report its mints (SIP-013). */
function sftMint(print: ClarityTuple, contractId: string, txId: string): TokenFact | undefined {
  const id = tupleMember(print, 'token-id');
  if (clarityText(tupleMember(print, 'type')) !== SFT_MINT || id?.type !== 'uint' || !isContractId(contractId))
    return undefined;
  return { kind: 'mint', txId, contractId, standard: 'sip-013', token: String(id.value) };
}

/** A notification: a contract may announce changes of itself, and a deployer those of its contracts (SIP-019). */
function update(print: ClarityTuple, emitter: string, sender: string, txId: string): TokenFact | undefined {
  const notification = readNotification(print);
  if (!notification) return undefined;
  const { contractId } = notification;
  const isAllowed = contractId === emitter || contractId.startsWith(`${sender}.`);
  return isAllowed && isContractId(contractId) ? { kind: 'update', txId, contractId, notification } : undefined;
}

/** Whether a text of a print can be a contract id: prints can contain any text. */
const isContractId = (text: string): boolean => /^[0-9A-Z]{1,41}\.[a-zA-Z][a-zA-Z0-9_-]{0,127}$/.test(text);

/** Whether the bytes of a value in hex have this text anywhere: excludes most prints without decoding them. */
const contains = (hex: string, text: string): boolean => hex.includes(Buffer.from(text).toString('hex'));

function decode(hex: string): ClarityValue | undefined {
  const value = decodeClarityValue(fromHex(hex) ?? new Uint8Array());
  return value.ok ? value.value : undefined;
}

function decodeTuple(hex: string): ClarityTuple | undefined {
  const value = decode(hex);
  return value?.type === 'tuple' ? value : undefined;
}
