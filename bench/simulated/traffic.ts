import { encodeClarityNone, encodeClarityPrincipal, encodeClarityUint } from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import { sampleFunction, sampleInterface } from '../../test/support/sample-contracts.ts';
import { TOKEN_FUNCTIONS, tokenContractInterface } from '../../test/support/sample-tokens.ts';
import { bytes, longText, name, u32, u64 } from '../../test/support/wire-transaction.ts';
import { type Account, type Accounts, standard } from './accounts.ts';
import { ftMint, ftTransfer, nftMint, nftTransfer, print, type SimulatedEvent, stxTransfer } from './events.ts';
import type { Profile } from './profiles.ts';
import type { Random } from './random.ts';
import { NO_MEMO, type SimulatedTx, transactionOf } from './wire.ts';

interface Contract {
  readonly owner: Account;
  readonly name: string;
  readonly id: string;
}

interface Token extends Contract {
  readonly asset: string;
  readonly holders: Account[];
  readonly balances: Map<Account, number>;
}

interface Collection extends Contract {
  readonly asset: string;
  /** Of the tokens 1, 2, 3 ... */
  readonly owners: Account[];
}

const STX = 1_000_000;
const SUPPLY = 1e15;
const POOLS = 10;

/** The activity of accounts on a simulated chain. No balance is ever below zero. */
export class Traffic {
  readonly #random: Random;
  readonly #accounts: Accounts;
  readonly #tokens: Token[] = [];
  readonly #collections: Collection[] = [];
  readonly #pools: Contract[] = [];
  /** Deployments that come before all else. */
  readonly #first: (() => SimulatedTx)[];
  #deployed = 0;

  constructor(random: Random, accounts: Accounts, profile: Profile) {
    this.#random = random;
    this.#accounts = accounts;
    this.#first = [
      ...Array.from({ length: POOLS }, () => () => this.#deployPool()),
      ...Array.from({ length: profile.collections }, () => () => this.#deployCollection()),
      ...Array.from({ length: profile.fungibleTokens }, () => () => this.#deployToken()),
    ];
  }

  next(): SimulatedTx {
    const first = this.#first.pop();
    return first ? first() : this.#action();
  }

  #action(): SimulatedTx {
    const percent = this.#random.integer(0, 99);
    if (percent < 40) return this.#transfer();
    if (percent < 62) return this.#moveTokens();
    if (percent < 74) return this.#swap();
    if (percent < 82) return this.#mintNft();
    if (percent < 90) return this.#moveNft();
    if (percent < 95) return this.#deposit();
    if (percent < 99) return this.#refused();
    return this.#deployPool();
  }

  #fee = (base: number): number => base + this.#random.integer(0, 4_000);

  #transfer(): SimulatedTx {
    const amount = this.#random.integer(1, 400 * STX);
    const from = this.#accounts.payer(amount + STX);
    const to = this.#accounts.other(from);
    const memo =
      this.#random.integer(0, 3) === 0 ? Buffer.concat([this.#random.bytes(8), NO_MEMO.subarray(8)]) : NO_MEMO;
    from.balance -= amount;
    to.balance += amount;
    return transactionOf(this.#random, from, {
      payload: bytes(0x00, 0x05, standard(to), u64(amount), memo),
      fee: this.#fee(180),
      events: [stxTransfer(from.address, to.address, amount, Buffer.from(memo).toString('hex'))],
    });
  }

  #moveTokens(): SimulatedTx {
    const token = this.#pick(this.#tokens);
    const from = this.#holder(token);
    const to = this.#accounts.other(from);
    const amount = this.#spend(token, from, 4);
    this.#give(token, to, amount);
    const args = [encodeClarityUint(amount), principalOf(from), principalOf(to), encodeClarityNone()];
    const condition = bytes(
      ...[0x01, 0x02, standard(from), standard(token.owner), name(token.name), name('coin')],
      ...[0x01, u64(amount)],
    );
    return this.#call(from, token, 'transfer', args, [ftTransfer(token.asset, from.address, to.address, amount)], {
      postConditions: [condition],
    });
  }

  #swap(): SimulatedTx {
    const pool = this.#pick(this.#pools);
    const [given, taken] = [this.#pick(this.#tokens), this.#pick(this.#tokens)];
    const who = this.#holder(given);
    const dx = this.#spend(given, who, 8);
    const dy = 1 + Math.floor(dx * 0.9);
    this.#give(taken, who, dy);
    const args = [encodeClarityPrincipal(given.id), encodeClarityPrincipal(taken.id), encodeClarityUint(dx)];
    return this.#call(who, pool, 'swap-x-for-y', args, [
      ftTransfer(given.asset, who.address, pool.id, dx),
      ftMint(taken.asset, who.address, dy),
      print(pool.id, { action: 'swap-x-for-y', dx, dy, fee: Math.floor(dx / 300), sender: who }),
    ]);
  }

  #mintNft(): SimulatedTx {
    const collection = this.#pick(this.#collections);
    const to = this.#accounts.any();
    const id = collection.owners.push(to);
    return this.#call(
      this.#accounts.payer(STX),
      collection,
      'mint',
      [principalOf(to)],
      [nftMint(collection.asset, to.address, id), print(collection.id, { event: 'mint', id, to })],
    );
  }

  #moveNft(): SimulatedTx {
    const collection = this.#pick(this.#collections);
    if (collection.owners.length === 0) return this.#mintNft();
    const id = this.#random.integer(1, collection.owners.length);
    const from = collection.owners[id - 1] ?? this.#accounts.at(0);
    const to = this.#accounts.other(from);
    collection.owners[id - 1] = to;
    const args = [encodeClarityUint(id), principalOf(from), principalOf(to)];
    return this.#call(from, collection, 'transfer', args, [
      nftTransfer(collection.asset, from.address, to.address, id),
    ]);
  }

  #deposit(): SimulatedTx {
    const pool = this.#pick(this.#pools);
    const amount = this.#random.integer(1_000, 50 * STX);
    const who = this.#accounts.payer(amount + STX);
    who.balance -= amount;
    return this.#call(
      who,
      pool,
      'deposit',
      [encodeClarityUint(amount)],
      [stxTransfer(who.address, pool.id, amount), print(pool.id, { action: 'deposit', amount, who })],
    );
  }

  #refused(): SimulatedTx {
    const token = this.#pick(this.#tokens);
    const args = [encodeClarityUint(7), principalOf(this.#accounts.any()), principalOf(this.#accounts.any())];
    const result = `0x08${toHex(encodeClarityUint(4)).slice(2)}`;
    return this.#call(this.#accounts.payer(STX), token, 'transfer', args, [], { status: 'abort_by_response', result });
  }

  #call(
    from: Account,
    contract: Contract,
    functionName: string,
    args: readonly Uint8Array[],
    events: readonly SimulatedEvent[],
    more: { postConditions?: readonly Uint8Array[]; status?: string; result?: string } = {},
  ): SimulatedTx {
    // An account that only has tokens has a fee of zero.
    const fee = from.balance > STX ? this.#fee(900) : 0;
    const head = bytes(0x02, standard(contract.owner), name(contract.name), name(functionName), u32(args.length));
    return transactionOf(this.#random, from, { payload: bytes(head, ...args), fee, events, ...more });
  }

  // ---- contracts

  #deployToken(): SimulatedTx {
    const contract = this.#newContract('token');
    const asset = `${contract.id}::coin`;
    const { owner } = contract;
    this.#tokens.push({ ...contract, asset, holders: [owner], balances: new Map([[owner, SUPPLY]]) });
    return this.#deploy(contract, tokenContractInterface('sip-010'), [ftMint(asset, owner.address, SUPPLY)]);
  }

  #deployCollection(): SimulatedTx {
    const contract = this.#newContract('collection');
    this.#collections.push({ ...contract, asset: `${contract.id}::cat`, owners: [] });
    const functions = [...TOKEN_FUNCTIONS['sip-009'], sampleFunction('mint', 'principal')];
    return this.#deploy(contract, { ...tokenContractInterface('sip-009'), functions });
  }

  #deployPool(): SimulatedTx {
    const contract = this.#newContract('pool');
    if (this.#pools.length < POOLS) this.#pools.push(contract);
    const functions = [
      sampleFunction('swap-x-for-y', 'principal', 'principal', 'uint128'),
      sampleFunction('deposit', 'uint128'),
    ];
    return this.#deploy(contract, sampleInterface(functions));
  }

  #newContract(kind: string): Contract {
    const owner = this.#accounts.at(this.#random.integer(0, 9));
    const contractName = `${kind}-${++this.#deployed}`;
    return { owner, name: contractName, id: `${owner.address}.${contractName}` };
  }

  #deploy(
    { owner, name: own }: Contract,
    contractInterface: unknown,
    events: readonly SimulatedEvent[] = [],
  ): SimulatedTx {
    const source = `;; ${own}\n(define-data-var total uint u0)\n${'(define-public (act (n uint)) (ok (var-set total n)))\n'.repeat(20)}`;
    return transactionOf(this.#random, owner, {
      payload: bytes(0x06, 0x03, name(own), longText(source)),
      fee: this.#fee(20_000),
      contractInterface,
      events,
    });
  }

  #pick<T>(all: readonly T[]): T {
    const picked = all[this.#random.zipf(all.length)];
    if (picked === undefined) throw new Error('nothing was deployed yet');
    return picked;
  }

  #holder({ holders, balances }: Token): Account {
    const holder = this.#pick(holders);
    return (balances.get(holder) ?? 0) > 1_000 ? holder : (holders[0] ?? holder);
  }

  /** Spends up to a share of an account's balance. @returns the amount */
  #spend({ balances }: Token, from: Account, part: number): number {
    const balance = balances.get(from) ?? 0;
    const amount = 1 + Math.floor(this.#random.fraction() * (balance / part));
    balances.set(from, balance - amount);
    return amount;
  }

  #give({ balances, holders }: Token, to: Account, amount: number): void {
    const balance = balances.get(to);
    if (balance === undefined) holders.push(to);
    balances.set(to, (balance ?? 0) + amount);
  }
}

const principalOf = (account: Account): Uint8Array => bytes(0x05, standard(account));
