import type * as Api from '../../routes/records.ts';
import { stx } from '../format/amounts.ts';
import { nameLink, principalLink, shortHash, TOKEN_SLOT } from '../format/links.ts';
import { type Html, html, slot } from '../html.ts';

/** Contracts whose calls and prints the explorer describes in words (docs/explorer.md#words). */

/** The addresses of contracts that are part of the chain itself. */
export const BOOT: readonly string[] = ['SP000000000000000000002Q6VF78', 'ST000000000000000000002AMW42H'];

export const BNS_V2_IDS: readonly string[] = [
  'SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF.BNS-V2',
  'ST2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D9SZJQ0M.BNS-V2',
];

/** The address of the contracts of sBTC. */
export const SBTC = 'SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4';

/**
 * Describes a call in words, for contracts that are part of the chain itself or known by their id, and for functions of
 * a token standard with all of its types. A name alone is never enough.
 * @returns the text after the sender in a sentence; undefined for other calls
 */
export function knownCall({ contract_call: call }: Api.Transaction): Html | undefined {
  if (!call) return undefined;
  const { contract_id, function_name, function_args = [] } = call;
  // Without the interface of the contract, the names of arguments are unknown: no amount is better than a wrong one.
  if (function_args.some(({ name }) => name === '')) return undefined;
  const [address = '', name = ''] = contract_id.split('.');
  const words = BOOT.includes(address) ? BOOT_CONTRACTS[name] : KNOWN_CONTRACTS[contract_id];
  const asked = new Arguments(function_args);
  return words?.[function_name]?.(asked) ?? tokenTransfer(contract_id, function_name, function_args, asked);
}

/** The arguments of a call by their names, as far as known. */
class Arguments {
  readonly #reprs: ReadonlyMap<string, string>;
  constructor(given: readonly Api.CallArgument[]) {
    // An optional value counts as its content.
    this.#reprs = new Map(given.map(({ name, repr }) => [name, repr.replace(/^\(some (.*)\)$/s, '$1')]));
  }

  number(name: string): bigint | undefined {
    const digits = /^u?(-?\d+)$/.exec(this.#reprs.get(name) ?? '')?.[1];
    return digits === undefined ? undefined : BigInt(digits);
  }

  principal(name: string): Html {
    const id = /^'(S[0-9A-Z]+(?:\.[\w-]+)?)$/.exec(this.#reprs.get(name) ?? '')?.[1];
    return id === undefined ? html`somebody` : principalLink(id);
  }

  hex(name: string): string {
    return this.#reprs.get(name) ?? '';
  }

  /** The text of bytes; empty for bytes that are not text. */
  text(name: string): string {
    const repr = this.#reprs.get(name) ?? '';
    return /^0x([0-9a-f]{2})*$/.test(repr) ? Buffer.from(repr.slice(2), 'hex').toString('utf8') : '';
  }

  stx(name: string): Html {
    return html`<b>${stx(this.number(name) ?? 0n)}</b>`;
  }

  cycles(name: string): string {
    const count = this.number(name) ?? 0n;
    return count === 1n ? '1 cycle' : `${count} cycles`;
  }

  /** The name made of `name` and `namespace`. */
  fullName(): Html {
    return nameLink(`${this.text('name')}.${this.text('namespace')}`);
  }
}

type Words = Readonly<Record<string, (asked: Arguments) => Html>>;

const POX_4: Words = {
  'stack-stx': a => html`stacks ${a.stx('amount-ustx')} for ${a.cycles('lock-period')}`,
  'stack-extend': a => html`stacks for ${a.cycles('extend-count')} more`,
  'stack-increase': a => html`stacks ${a.stx('increase-by')} more`,
  'delegate-stx': a => html`allows ${a.principal('delegate-to')} to stack up to ${a.stx('amount-ustx')}`,
  'revoke-delegate-stx': () => html`no longer allows another to stack for it`,
  'delegate-stack-stx': a =>
    html`stacks ${a.stx('amount-ustx')} of ${a.principal('stacker')} for ${a.cycles('lock-period')}`,
  'delegate-stack-extend': a => html`stacks for ${a.principal('stacker')} ${a.cycles('extend-count')} longer`,
  'delegate-stack-increase': a => html`stacks ${a.stx('increase-by')} more of ${a.principal('stacker')}`,
  'stack-aggregation-commit': commit,
  'stack-aggregation-commit-indexed': commit,
  'stack-aggregation-increase': a => html`commits more of its members to cycle ${a.number('reward-cycle')}`,
  'set-signer-key-authorization': a => html`lets the signer key <code>${shortHash(a.hex('signer-key'))}</code> sign`,
  'allow-contract-caller': a => html`lets ${a.principal('caller')} stack for it`,
  'disallow-contract-caller': a => html`no longer lets ${a.principal('caller')} stack for it`,
};

function commit(asked: Arguments): Html {
  return html`commits what its members stack to cycle ${asked.number('reward-cycle')}`;
}

const BNS: Words = {
  'name-preorder': () => html`reserves a name, which stays hidden until it is registered`,
  'name-register': a => html`registers ${a.fullName()}`,
  'name-renewal': a => html`renews ${a.fullName()}`,
  'name-update': a => html`gives ${a.fullName()} another zone file`,
  'name-transfer': a => html`gives ${a.fullName()} to ${a.principal('new-owner')}`,
  'name-revoke': a => html`gives ${a.fullName()} up`,
  'name-import': a => html`imports ${a.fullName()} for ${a.principal('beneficiary')}`,
  'namespace-preorder': () => html`reserves a namespace`,
  'namespace-reveal': a => html`announces the namespace <b><bdi>.${a.text('namespace')}</bdi></b>`,
  'namespace-ready': a => html`opens the namespace <b><bdi>.${a.text('namespace')}</bdi></b>`,
};

const POX_5: Words = {
  stake: a => html`stakes ${a.stx('amount-ustx')} for ${a.cycles('num-cycles')}`,
  unstake: () => html`ends its stake early`,
};

const BOOT_CONTRACTS: Readonly<Record<string, Words>> = { 'pox-4': POX_4, 'pox-5': POX_5, bns: BNS };

const BNS_V2: Words = {
  'name-claim-fast': a => html`registers ${a.fullName()}`,
  'name-register': a => html`registers ${a.fullName()}`,
  'name-renewal': a => html`renews ${a.fullName()}`,
  'list-in-ustx': a => html`offers name #${a.number('id')} for ${a.stx('price')}`,
  'unlist-in-ustx': a => html`no longer offers name #${a.number('id')}`,
  'buy-in-ustx': a => html`buys name #${a.number('id')} for ${a.stx('expected-price')}`,
  'set-primary-name': a => html`chooses name #${a.number('primary-name-id')} as its own`,
};

const SATOSHIS = 'satoshis of sBTC';

const KNOWN_CONTRACTS: Readonly<Record<string, Words>> = {
  ...Object.fromEntries(BNS_V2_IDS.map(id => [id, BNS_V2])),
  [`${SBTC}.sbtc-deposit`]: {
    'complete-deposit-wrapper': a =>
      html`mints <b>${a.number('amount')}</b> ${SATOSHIS} for ${a.principal('recipient')}, who paid in Bitcoin`,
  },
  [`${SBTC}.sbtc-withdrawal`]: {
    'initiate-withdrawal-request': a => html`asks for <b>${a.number('amount')}</b> ${SATOSHIS} in Bitcoin`,
    'accept-withdrawal-request': a => html`pays withdrawal ${a.number('request-id')} in Bitcoin`,
    'reject-withdrawal-request': a => html`refuses withdrawal ${a.number('request-id')}`,
  },
};

const FT_TRANSFER = ['uint', 'principal', 'principal'];
const MEMO = '(optional (buff 34))';

/** `transfer` of the standards for fungible tokens (with a memo) and for others (without). */
function tokenTransfer(
  contract: string,
  name: string,
  given: readonly Api.CallArgument[],
  asked: Arguments,
): Html | undefined {
  const types = given.map(({ type }) => type);
  if (name !== 'transfer' || !FT_TRANSFER.every((type, i) => types[i] === type)) return undefined;
  const [what = { name: '' }, , to = { name: '' }] = given;
  const number = asked.number(what.name) ?? 0n;
  if (types.length === 4 && types[3] === MEMO)
    return html`sends <b>${slot(TOKEN_SLOT, `${contract}.${number}`)}</b> to ${asked.principal(to.name)}`;
  if (types.length === 3)
    return html`gives <b>${principalLink(contract)} #${number}</b> to ${asked.principal(to.name)}`;
  return undefined;
}
