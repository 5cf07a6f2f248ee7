import {
  encodeClarityArgs,
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import { bns2Contract } from '../../src/index/names/bns-2.ts';
import { type BuiltBlock, type ChainBuilder, delivery } from './chain-builder.ts';
import { accountAddress, type BuiltTx } from './transaction-builder.ts';
import { bytes, filled, name as shortText } from './wire-transaction.ts';

export const BNS = 'ST000000000000000000002AMW42H.bns';

type Bytes = Uint8Array;
type Event = Readonly<Record<string, unknown>>;

const buffer = (value: string | Bytes): Bytes =>
  encodeClarityBuffer(typeof value === 'string' ? Buffer.from(value) : value);

/** `label.namespace`, split at the last dot. */
function parts(name: string): { name: Bytes; namespace: Bytes } {
  const dot = name.lastIndexOf('.');
  return { name: buffer(name.slice(0, dot)), namespace: buffer(name.slice(dot + 1)) };
}

/** The NFT value of a name, 0x hex. */
export const tokenHex = (name: string): string => toHex(encodeClarityTuple(parts(name)));

const metadata = (op: string, name: string, sender: string): Bytes =>
  encodeClarityTuple({ ...parts(name), op: encodeClarityAscii(op), 'tx-sender': encodeClarityPrincipal(sender) });

/** A print of any bytes. */
export const print = (value: Bytes, contract = BNS): Event => ({
  type: 'contract_event',
  contract_event: { contract_identifier: contract, topic: 'print', raw_value: toHex(value) },
});

/** The print of an operation of an account on a name. */
export const operation = (op: string, name: string, account: number, hash = filled(20, 1)): Event =>
  print(
    encodeClarityTuple({
      attachment: encodeClarityTuple({
        'attachment-index': encodeClarityUint(0),
        hash: encodeClarityBuffer(hash),
        metadata: metadata(op, name, accountAddress(account)),
      }),
    }),
  );

/** An NFT event by the value in hex; `from` null: a mint, `to` null: a burn. */
export function moved(value: string, from: number | null, to: number | null, asset = `${BNS}::names`): Event {
  const type = from === null ? 'nft_mint_event' : to === null ? 'nft_burn_event' : 'nft_transfer_event';
  const sides = {
    ...(from !== null && { sender: accountAddress(from) }),
    ...(to !== null && { recipient: accountAddress(to) }),
  };
  return { type, [type]: { asset_identifier: asset, raw_value: value, ...sides } };
}

/** The print with which a namespace is launched. */
export const namespaceReady = (namespace: string, lifetime: number | bigint): Event =>
  print(
    encodeClarityTuple({
      namespace: buffer(namespace),
      status: encodeClarityAscii('ready'),
      properties: encodeClarityTuple({ lifetime: encodeClarityUint(lifetime) }),
    }),
  );

/** Transactions of accounts with BNS, as far as their events show. */
export class Names {
  readonly #chain: ChainBuilder;

  constructor(chain: ChainBuilder) {
    this.#chain = chain;
  }

  /** A transaction that leaves these events. */
  with(...events: Event[]): BuiltTx {
    return this.#chain.tx(bytes(0x04, filled(32, 0)), { events });
  }
  register(name: string, account: number): BuiltTx {
    return this.with(moved(tokenHex(name), null, account), operation('name-register', name, account));
  }
  /** Registers a name that had expired or was revoked: its NFT is there already. */
  registerAgain(name: string, from: number, to: number): BuiltTx {
    return this.with(moved(tokenHex(name), from, to), operation('name-register', name, to));
  }
  update(name: string, account: number): BuiltTx {
    return this.with(operation('name-update', name, account));
  }
  transfer(name: string, from: number, to: number): BuiltTx {
    return this.with(moved(tokenHex(name), from, to), operation('name-transfer', name, from, new Uint8Array()));
  }
  revoke(name: string, account: number): BuiltTx {
    return this.with(operation('name-revoke', name, account, new Uint8Array()));
  }

  /** A call of `name-renewal`, which prints nothing when the last argument is none. */
  renewal(name: string, zonefileHash: Bytes = encodeClarityNone(), status = 'success', drop = 0): BuiltTx {
    const { name: label, namespace } = parts(name);
    const args = [namespace, label, encodeClarityUint(1), encodeClarityNone(), zonefileHash];
    return this.#chain.tx(
      bytes(
        ...[0x02, 26, filled(20, 0), shortText('bns'), shortText('name-renewal')],
        encodeClarityArgs(args.slice(0, args.length - drop)),
      ),
      { status },
    );
  }
}

/** The TXT record of a subdomain. */
export const txt = (label: string, account: number): string =>
  `${label}\tTXT\t"owner=${accountAddress(account)}" "seqn=0" "parts=1" "zf0=JE9SSUdJTg=="\n`;

/** The URI record of a resolver of further subdomains. */
export const resolverRecord = (target: string): string => `_resolver\tIN\tURI\t10\t1\t"${target}"\n`;

export const BNS_V2 = bns2Contract('testnet');

/** What an operation on a name of version 2 leaves: its NFT event, and a print unless the topic is undefined. */
export function bns2Operation(
  id: number,
  name: string,
  from: number | null,
  to: number | null,
  topic?: string,
): Event[] {
  const number = encodeClarityUint(id);
  const members = {
    topic: encodeClarityAscii(topic ?? ''),
    id: topic === 'renew-name' ? encodeClaritySome(number) : number,
    ...(id % 2 ? { name: encodeClarityTuple(parts(name)) } : parts(name)),
  };
  return [
    ...(topic === 'renew-name' ? [] : [moved(toHex(number), from, to, `${BNS_V2}::BNS-V2`)]),
    ...(topic === undefined ? [] : [print(encodeClarityTuple(members), BNS_V2)]),
  ];
}

let attachments = 0;

/** The delivery of a zone file for a transaction of a block. Later ones have higher numbers. */
export function zoneFile(
  block: Pick<BuiltBlock, 'indexHash' | 'height'>,
  tx: BuiltTx,
  name: string,
  content: string | Bytes,
  { op = 'name-update', contract = BNS, index = ++attachments, hash = filled(20, 1) } = {},
) {
  return delivery('/attachments/new', [
    {
      attachment_index: index,
      index_block_hash: block.indexHash,
      block_height: block.height,
      content_hash: toHex(hash),
      contract_id: contract,
      metadata: toHex(metadata(op, name, accountAddress(1))),
      tx_id: tx.txId,
      content: toHex(Buffer.from(content)),
    },
  ]);
}
