import { principalsOf, rolesInStored } from '../../../index/addresses/roles.ts';
import { reprOf } from '../../../index/transactions/record.ts';
import { readTransaction, version1Text } from '../../../index/transactions/stored.ts';
import { type AssetEvent, type EventFacts, isAssetEvent } from '../../../ingest/chain/event-facts.ts';
import { type BodyPiece, bodyPiece } from '../../http/large-body.ts';
import { amount, assetId, ClarityValueSchema, count, hash, hexString, principal, word } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { TransactionSchemaV1 } from '../transactions/schema.ts';
import type { HistoryEntry } from './transactions-v1.ts';

/** The moved asset and both parties. A missing party, as in a mint or a burn, is an empty string. */
const party = (description: string) => Type.Union([principal(), Type.Literal('')], { description });
const PARTIES = { sender: party('Empty for a mint'), recipient: party('Empty for a burn') };

const STX = {
  tx: TransactionSchemaV1,
  stx_sent: amount('Micro-STX that left the principal, with the fee where it is the sender, even if a sponsor paid it'),
  stx_received: amount('Micro-STX that came to the principal'),
  stx_transfers: Type.Array(Type.Object({ amount: amount(), ...PARTIES })),
};

/** A transaction of a principal with the STX that it moved. */
export const TransactionWithStxTransfersSchemaV1 = Type.Object(STX, { title: 'TransactionWithStxTransfers' });

/** The same with all tokens. Events are those of the principal, the last one first. */
export const TransactionWithTransfersSchemaV1 = Type.Object(
  {
    ...STX,
    ft_transfers: Type.Array(
      Type.Object({ asset_identifier: assetId(), amount: amount('In the smallest unit of the token'), ...PARTIES }),
    ),
    nft_transfers: Type.Array(Type.Object({ asset_identifier: assetId(), value: ClarityValueSchema, ...PARTIES })),
  },
  { title: 'TransactionWithTransfers' },
);

/** Incoming STX of a principal. */
export const InboundSchemaV1 = Type.Object(
  {
    sender: party('Empty for a mint'),
    amount: amount(),
    memo: hexString('`0x` for an operation from Bitcoin; of a bulk send the Clarity value that was printed'),
    block_height: count(),
    tx_id: hash(),
    transfer_type: word(['stx-transfer', 'stx-transfer-memo', 'bulk-send']),
    tx_index: count('Position in the block'),
  },
  { title: 'InboundStxTransfer' },
);

/**
 * Moves of events from or to a principal, the last one first. Parts of a transaction's events are added, the last part first, and become pieces
 * of JSON at once, as a transaction may have hundreds of thousands of events.
 */
export class MovesOfPrincipal {
  readonly #principal: string;
  #sent = 0n;
  #received = 0n;
  #movesStx = false;
  readonly #mostBytes: number;
  #bytes = 0;
  /** Entries of JSON arrays, some in a piece. */
  readonly #listed = { stx: [] as BodyPiece[], ft: [] as BodyPiece[], nft: [] as BodyPiece[] };

  /** @param mostBytes most bytes of listed moves; beyond them, only sums are kept */
  constructor(principal: string, mostBytes = Number.POSITIVE_INFINITY) {
    this.#principal = principal;
    this.#mostBytes = mostBytes;
  }

  /** Whether the moves exceed the byte limit, so that they are not listed. */
  get exceedsBytes(): boolean {
    return this.#bytes > this.#mostBytes;
  }

  /** @param events in their order; earlier added ones come after them in the chain */
  add(events: readonly EventFacts[]): this {
    const moves = events
      .filter(isAssetEvent)
      .filter(({ sender, recipient }) => sender === this.#principal || recipient === this.#principal)
      .reverse();
    const transfers = { stx: [] as object[], ft: [] as object[], nft: [] as object[] };
    for (const move of moves) {
      transfers[move.kind].push(transferV1(move));
      if (move.kind !== 'stx') continue;
      this.#movesStx = true;
      if (move.sender === this.#principal) this.#sent += BigInt(move.amount);
      if (move.recipient === this.#principal) this.#received += BigInt(move.amount);
    }
    for (const kind of KINDS) {
      if (transfers[kind].length === 0 || this.exceedsBytes) continue;
      const text = JSON.stringify(transfers[kind]).slice(1, -1);
      this.#bytes += text.length;
      this.#listed[kind].push(bodyPiece(text));
    }
    if (this.exceedsBytes) for (const kind of KINDS) this.#listed[kind].length = 0;
    return this;
  }

  /** Whether the principal has a part in a transaction other than as sponsor or as party of other tokens than STX. */
  takesPartIn({ record }: HistoryEntry): boolean {
    const roles = rolesInStored(readTransaction(record)).filter(({ as }) => as !== 'sponsor');
    return this.#movesStx || principalsOf(roles, []).has(this.#principal);
  }

  /** A transaction of the principal with the STX that it moved: pieces of its JSON. */
  withStxTransfersV1(entry: HistoryEntry): BodyPiece[] {
    return [...this.#withStx(entry), '}'];
  }

  /** The same with all tokens. */
  withTransfersV1(entry: HistoryEntry): BodyPiece[] {
    const { ft, nft } = this.#listed;
    const tokens = [',"ft_transfers":[', ...listed(ft), '],"nft_transfers":[', ...listed(nft), ']}'];
    return [...this.#withStx(entry), ...tokens];
  }

  #withStx({ record }: HistoryEntry): BodyPiece[] {
    const { sender, fee: paid } = readTransaction(record);
    const fee = sender === this.#principal ? BigInt(paid) : 0n;
    const sums = `"stx_sent":"${this.#sent + fee}","stx_received":"${this.#received}"`;
    const head = `{"tx":${version1Text(record)},${sums},"stx_transfers":[`;
    return [head, ...listed(this.#listed.stx), ']'];
  }
}

const listed = (pieces: readonly BodyPiece[]): BodyPiece[] =>
  pieces.flatMap((piece, i) => (i === 0 ? piece : [',', piece]));

const KINDS = ['stx', 'ft', 'nft'] as const;

function transferV1(move: AssetEvent): object {
  const parties = { sender: move.sender ?? '', recipient: move.recipient ?? '' };
  switch (move.kind) {
    case 'stx':
      return { amount: move.amount, ...parties };
    case 'ft':
      return { asset_identifier: move.asset, amount: move.amount, ...parties };
    case 'nft':
      return { asset_identifier: move.asset, value: { hex: move.value, repr: reprOf(move.value) }, ...parties };
    default:
      return move satisfies never;
  }
}
