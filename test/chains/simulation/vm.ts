import { type ClarityEvent, getSDK, type ParsedTransactionResult } from '@stacks/clarinet-sdk';
import { Cl, type ClarityValue } from '@stacks/transactions';
import { quietly } from '../../support/quietly.ts';
import { BOOT, CYCLE, POX5, SBTC } from './cast.ts';

type Event = Readonly<Record<string, unknown>>;

/** A node's report of a transaction that ran. */
export interface Ran {
  readonly result: ClarityValue;
  /** As in `events` of a payload, without their place; none of one that did not succeed. */
  readonly events: readonly Event[];
  readonly cost: Readonly<Record<string, number>>;
}

/** Of all deployments. */
export const CLARITY_VERSION = 6;

/** The recipient of fees: outside all checked accounts. */
const NOWHERE = 'ST3NBRSFKX28FQ2ZJ1MAKX58HKHSDGNV5N7R21XCP';

/** What an account holds, in micro-STX; `locked` until a burn height. */
export interface Holding {
  readonly unlocked: string;
  readonly locked: string;
  readonly unlockHeight: number;
}

/** The Clarity VM of epoch 4.0 with its boot contracts, as the state of one branch of a chain. */
export class ClarityVm {
  readonly #vm: Awaited<ReturnType<typeof getSDK>>;

  private constructor(vm: Awaited<ReturnType<typeof getSDK>>) {
    this.#vm = vm;
  }

  /** @param bondAdmin who may set up bonds of PoX 5 */
  static async open(bondAdmin: string): Promise<ClarityVm> {
    const vm = await getSDK({ trackCosts: true, trackCoverage: false });
    await vm.initEmptySession(undefined);
    const made = new ClarityVm(vm);
    quietly(() => vm.setEpoch('4.0'));
    const { length, prepare, first } = CYCLE;
    made.call(BOOT, POX5, 'set-burnchain-parameters', [0, prepare, length, first].map(Cl.uint));
    made.call(BOOT, POX5, 'set-bond-admin', [Cl.principal(bondAdmin)]);
    return made;
  }

  /** Brings the burn block height that contracts see to this one, unless it is there already. */
  advanceTo(burnHeight: number): void {
    const missing = burnHeight - this.#vm.burnBlockHeight;
    if (missing > 0) quietly(() => this.#vm.mineEmptyBurnBlocks(missing));
  }

  call(sender: string, contract: string, fn: string, args: readonly ClarityValue[]): Ran {
    return ran(quietly(() => this.#vm.callPublicFn(contract, fn, [...args], sender)));
  }

  deploy(sender: string, name: string, source: string): Ran {
    const options = { clarityVersion: CLARITY_VERSION };
    const done = quietly(() => this.#vm.deployContract(name, source, options, sender));
    return { ...ran(done), result: Cl.ok(Cl.bool(true)) };
  }

  /** What a node calls the interface of a contract. */
  interfaceOf(contract: string): unknown {
    return quietly(() => this.#vm.getContractsInterfaces()).get(contract);
  }

  transfer(sender: string, recipient: string, amount: number): Ran {
    return ran(quietly(() => this.#vm.transferSTX(amount, recipient, sender)));
  }

  payFee(payer: string, fee: number): void {
    if (fee > 0) this.transfer(payer, NOWHERE, fee);
  }

  mint(recipient: string, amount: number): void {
    quietly(() => this.#vm.mintSTX(recipient, BigInt(amount)));
  }

  mintSbtc(recipient: string, amount: number): void {
    quietly(() => this.#vm.mintFT(`${SBTC}.sbtc-token`, recipient, BigInt(amount)));
  }

  read(contract: string, fn: string, args: readonly ClarityValue[] = []): ClarityValue {
    return quietly(() => this.#vm.callReadOnlyFn(contract, fn, [...args], BOOT)).result;
  }

  holding(account: string): Holding {
    const value = quietly(() => this.#vm.execute(`(stx-account '${account})`)).result;
    const { unlocked, locked, 'unlock-height': until } = membersOf(value);
    return { unlocked: amountOf(unlocked), locked: amountOf(locked), unlockHeight: Number(amountOf(until)) };
  }

  /** How much of a fungible token an account has. */
  tokens(contract: string, account: string): string {
    return amountOf(unwrapped(this.read(contract, 'get-balance', [Cl.principal(account)])));
  }
}

/** The members of a tuple, or of an `ok`, `err` or `some` of one; none of anything else. */
export function membersOf(value: ClarityValue): Readonly<Record<string, ClarityValue>> {
  const tuple = unwrapped(value);
  return tuple.type === 'tuple' ? tuple.value : {};
}

/** What is in an `ok`, `err` or `some`. */
export const unwrapped = (value: ClarityValue): ClarityValue =>
  value.type === 'ok' || value.type === 'err' || value.type === 'some' ? unwrapped(value.value) : value;

/** The text of an unsigned integer. */
export const amountOf = (value: ClarityValue | undefined): string =>
  value?.type === 'uint' ? String(value.value) : '0';

const ran = ({ result, events, costs }: ParsedTransactionResult): Ran => ({
  result,
  events: result.type === 'err' ? [] : events.map(nodeEvent),
  cost: {
    runtime: costs?.total.runtime ?? 0,
    read_count: costs?.total.readCount ?? 0,
    read_length: costs?.total.readLength ?? 0,
    write_count: costs?.total.writeCount ?? 0,
    write_length: costs?.total.writeLength ?? 0,
  },
});

/** An event of the VM as a node sends it. */
function nodeEvent({ event, data }: ClarityEvent): Event {
  const { value: _, ...rest } = data;
  const type = event === 'print_event' ? 'contract_event' : event;
  return { type, [type]: rest };
}
