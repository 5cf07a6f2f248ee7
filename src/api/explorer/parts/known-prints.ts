import { type ClarityTuple, type ClarityValue, decodeClarityValue, tupleMember } from '../../../base/codec/index.ts';
import type * as Api from '../../routes/records.ts';
import { btc, counted, grouped, stx } from '../format/amounts.ts';
import { nameLink, principalLink, shortHash } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { BNS_V2_IDS, BOOT, SBTC } from './known-calls.ts';

/**
 * Describes a print in words, for contracts that are part of the chain itself or known by their id; for other contracts
 * only prints of a standard. @returns a sentence without its full stop; undefined for unknown prints, or if a member is
 * missing or of another type
 */
export function knownPrint(contractId: string, { hex }: Api.ValueRecord): Html | undefined {
  const decoded = decodeClarityValue(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
  if (!decoded.ok) return undefined;
  const value = decoded.value.type === 'ok' ? decoded.value.value : decoded.value;
  if (value.type !== 'tuple') return undefined;
  const [address = '', name = ''] = contractId.split('.');
  if (BOOT.includes(address)) return BOOT_CONTRACTS[name]?.(value);
  if (BNS_V2_IDS.includes(contractId)) return bns2Name(value);
  if (contractId === `${SBTC}.sbtc-registry`) return said(SBTC_REGISTRY, textOf(value, 'topic'), value);
  return said(SEMI_FUNGIBLE, textOf(value, 'type'), value);
}

type Words = Readonly<Record<string, (print: Print) => Html>>;

function said(words: Words, topic: string | undefined, tuple: ClarityTuple): Html | undefined {
  if (topic === undefined || !Object.hasOwn(words, topic)) return undefined;
  const print = new Print(tuple);
  const sentence = words[topic]?.(print);
  return print.isWhole() ? sentence : undefined;
}

/** Members of a print by their names. An optional value counts as its content; a missing member is noted. */
class Print {
  readonly #tuple: ClarityTuple;
  #missing = 0;
  constructor(tuple: ClarityTuple) {
    this.#tuple = tuple;
  }

  isWhole(): boolean {
    return this.#missing === 0;
  }

  uint(name: string): bigint {
    const value = memberOf(this.#tuple, name);
    return value?.type === 'uint' ? value.value : this.#lacks(0n);
  }

  /** Undefined for `none`. */
  optionalUint(name: string): bigint | undefined {
    return tupleMember(this.#tuple, name)?.type === 'none' ? undefined : this.uint(name);
  }

  principal(name: string): Html {
    const value = memberOf(this.#tuple, name);
    return principalLink(value?.type === 'principal' ? value.value : this.#lacks(''));
  }

  stx = (name: string): Html => html`<b>${stx(this.uint(name))}</b>`;
  btc = (name: string): Html => html`<b>${btc(this.uint(name))}</b>`;
  cycles = (name: string): string => counted(Number(this.uint(name)), 'cycle');
  /** A height of the Bitcoin chain. It may be of a block to come, so it is no link. */
  burn = (name: string): string => grouped(this.uint(name));

  key(name: string): Html {
    const value = memberOf(this.#tuple, name);
    const hex = value?.type === 'buffer' ? `0x${Buffer.from(value.value).toString('hex')}` : this.#lacks('');
    return html`<code title="${hex}">${shortHash(hex)}</code>`;
  }

  #lacks<T>(instead: T): T {
    this.#missing++;
    return instead;
  }
}

function memberOf(tuple: ClarityTuple, name: string): ClarityValue | undefined {
  const value = tupleMember(tuple, name);
  return value?.type === 'some' ? value.value : value;
}

function textOf(tuple: ClarityTuple, name: string): string | undefined {
  const value = tupleMember(tuple, name);
  return value?.type === 'string-ascii' ? value.value.replaceAll('\0', '') : undefined;
}

/** PoX 2 to 4: `name`, `stacker`, and the `data` of the call. */
function stacking(print: ClarityTuple): Html | undefined {
  const data = tupleMember(print, 'data');
  const stacker = tupleMember(print, 'stacker');
  if (data?.type !== 'tuple' || stacker === undefined) return undefined;
  const entries = [...data.entries.filter(({ name }) => name !== 'stacker'), { name: 'stacker', value: stacker }];
  return said(STACKING, textOf(print, 'name'), { type: 'tuple', entries });
}

const commit = (p: Print): Html =>
  html`${p.principal('stacker')} commits ${p.stx('amount-ustx')} of its members to cycle ${p.uint('reward-cycle')}`;

const STACKING: Words = {
  'stack-stx': p =>
    html`${p.principal('stacker')} stacks ${p.stx('lock-amount')} for ${p.cycles('lock-period')}, until Bitcoin block ${p.burn('unlock-burn-height')}`,
  'stack-extend': p =>
    html`${p.principal('stacker')} stacks for ${p.cycles('extend-count')} more, until Bitcoin block ${p.burn('unlock-burn-height')}`,
  'stack-increase': p =>
    html`${p.principal('stacker')} stacks ${p.stx('increase-by')} more, ${p.stx('total-locked')} in all`,
  'delegate-stx'(p) {
    const until = p.optionalUint('unlock-burn-height');
    return html`${p.principal('stacker')} allows ${p.principal('delegate-to')} to stack up to ${p.stx('amount-ustx')}${until !== undefined && html` until Bitcoin block ${grouped(until)}`}`;
  },
  'revoke-delegate-stx': p =>
    html`${p.principal('stacker')} no longer allows ${p.principal('delegate-to')} to stack for it; what is locked stays locked`,
  'delegate-stack-stx': p =>
    html`${p.principal('delegator')} stacks ${p.stx('lock-amount')} of ${p.principal('stacker')} for ${p.cycles('lock-period')}, until Bitcoin block ${p.burn('unlock-burn-height')}`,
  'delegate-stack-extend': p =>
    html`${p.principal('delegator')} stacks for ${p.principal('stacker')} ${p.cycles('extend-count')} longer, until Bitcoin block ${p.burn('unlock-burn-height')}`,
  'delegate-stack-increase': p =>
    html`${p.principal('delegator')} stacks ${p.stx('increase-by')} more of ${p.principal('stacker')}, ${p.stx('total-locked')} in all`,
  'stack-aggregation-commit': commit,
  'stack-aggregation-commit-indexed': commit,
  'stack-aggregation-increase': p =>
    html`${p.principal('stacker')} commits ${p.stx('amount-ustx')} more of its members to cycle ${p.uint('reward-cycle')}`,
  'handle-unlock': p => html`The chain ends the stacking of ${p.principal('stacker')} early`,
};

const STAKING: Words = {
  stake: p =>
    html`${p.principal('staker')} stakes ${p.stx('amount-ustx')} with ${p.principal('signer')} for ${p.cycles('num-cycles')}, until Bitcoin block ${p.burn('unlock-burn-height')}`,
  'stake-update': p =>
    html`${p.principal('staker')} now stakes ${p.stx('amount-ustx')} with ${p.principal('signer')}, until Bitcoin block ${p.burn('unlock-burn-height')}`,
  unstake: p =>
    html`${p.principal('staker')} ends its stake of ${p.stx('amount-ustx')}: free at Bitcoin block ${p.burn('unlock-burn-height')}`,
  'setup-bond': p =>
    html`Bond ${p.uint('bond-index')} opens: ${Number(p.uint('target-rate')) / 100} % a year, from Bitcoin block ${p.burn('bond-start-height')} to ${p.burn('unlock-burn-height')}`,
  'add-to-allowlist': p =>
    html`${p.principal('staker')} may join bond ${p.uint('bond-index')} with up to ${p.btc('max-sats')}`,
  'register-for-bond': p =>
    html`${p.principal('staker')} joins bond ${p.uint('bond-index')} with ${p.btc('sats-total')} and ${p.stx('amount-ustx')}, signed for by ${p.principal('signer')}`,
  'update-bond-registration': p =>
    html`${p.principal('staker')} has ${p.principal('signer')} sign for its ${p.btc('amount-sats')} in bond ${p.uint('bond-index')}`,
  'announce-l1-early-exit': p =>
    html`${p.principal('staker')} leaves bond ${p.uint('bond-index')} early with ${p.btc('amount-sats-released')}; its STX stay locked`,
  'unstake-sbtc': p =>
    html`${p.principal('staker')} takes ${p.btc('amount-withdrawn-sats')} out of bond ${p.uint('bond-index')}; ${p.btc('new-amount-sats')} stay`,
  'calculate-rewards': p => html`The rewards of cycle ${p.uint('stx-cycle')} are counted`,
  'bond-distribution': p => html`Bond ${p.uint('bond-index')} gets ${p.btc('bond-rewards')}`,
  'claim-rewards': p =>
    html`${p.principal('signer-manager')} collects ${p.btc('total-rewards')} of cycle ${p.uint('reward-cycle')}`,
  'claim-staker-rewards-for-signer': p =>
    html`${p.principal('signer-manager')} pays ${p.principal('staker')} ${p.btc('rewards-claimed')} for cycle ${p.uint('reward-cycle')}`,
  'register-signer': p =>
    html`${p.principal('signer')} signs with the key ${p.key('signer-key')} from the next cycle on`,
  'grant-signer-key': p => html`${p.principal('signer-manager')} may use the key ${p.key('signer-key')}`,
  'revoke-signer-grant': p => html`${p.principal('signer-manager')} may no longer use the key ${p.key('signer-key')}`,
};

/** In version 1 the name is in the metadata of an attachment; an opened namespace has a print of its own. */
function bns1Name(print: ClarityTuple): Html | undefined {
  const attachment = tupleMember(print, 'attachment');
  const metadata = attachment?.type === 'tuple' ? tupleMember(attachment, 'metadata') : undefined;
  if (metadata?.type === 'tuple') {
    const sender = tupleMember(metadata, 'tx-sender');
    const [name, verb] = [nameIn(metadata), NAME_VERBS[textOf(metadata, 'op') ?? '']];
    return name && verb && sender?.type === 'principal'
      ? html`${principalLink(sender.value)} ${verb} ${name}`
      : undefined;
  }
  return textOf(print, 'status') === 'ready' ? openedNamespace(print) : undefined;
}

const NAME_VERBS: Readonly<Record<string, string>> = {
  'name-register': 'registers',
  'name-renewal': 'renews',
  'name-update': 'writes another zone file for',
  'name-transfer': 'gives away',
  'name-revoke': 'gives up',
  'name-import': 'imports',
};

/** In version 2 the name is a tuple of its own, or its parts are members of the print. */
function bns2Name(print: ClarityTuple): Html | undefined {
  if (textOf(print, 'status') === 'launch') return openedNamespace(print);
  const inner = tupleMember(print, 'name');
  const name = nameIn(inner?.type === 'tuple' ? inner : print);
  const owner = memberOf(print, 'owner');
  const who = owner?.type === 'principal' ? principalLink(owner.value) : undefined;
  if (!name) return undefined;
  switch (textOf(print, 'topic')) {
    case 'new-name':
      return who && html`${who} registers ${name}`;
    case 'new-airdrop':
      return who && html`${name} moves to version 2, for ${who}`;
    case 'transfer-name':
      return who ? html`${name} is given to ${who}` : html`${name} has another owner`;
    case 'renew-name':
      return html`${name} is renewed`;
    case 'burn-name':
      return html`${name} is given up`;
    default:
      return undefined;
  }
}

function openedNamespace(print: ClarityTuple): Html | undefined {
  const space = bytesOf(print, 'namespace');
  return space === undefined ? undefined : html`The namespace <b><bdi>.${space}</bdi></b> opens`;
}

function nameIn(tuple: ClarityTuple): Html | undefined {
  const [name, space] = [bytesOf(tuple, 'name'), bytesOf(tuple, 'namespace')];
  return name === undefined || space === undefined ? undefined : nameLink(`${name}.${space}`);
}

function bytesOf(tuple: ClarityTuple, name: string): string | undefined {
  const value = tupleMember(tuple, name);
  return value?.type === 'buffer' ? Buffer.from(value.value).toString('utf8') : undefined;
}

const BOOT_CONTRACTS: Readonly<Record<string, (print: ClarityTuple) => Html | undefined>> = {
  'pox-2': stacking,
  'pox-3': stacking,
  'pox-4': stacking,
  'pox-5': print => said(STAKING, textOf(print, 'topic'), print),
  bns: bns1Name,
};

const SBTC_REGISTRY: Words = {
  'completed-deposit': p => html`${p.btc('amount')} that came to Bitcoin are minted as sBTC`,
  'withdrawal-create': p =>
    html`Withdrawal ${p.uint('request-id')}: ${p.principal('sender')} asks for ${p.btc('amount')} in Bitcoin, for a fee of at most ${p.btc('max-fee')}`,
  'withdrawal-accept': p => html`Withdrawal ${p.uint('request-id')} is paid in Bitcoin`,
  'withdrawal-reject': p => html`Withdrawal ${p.uint('request-id')} is refused`,
};

/**
 * In SIP-013 a move has a print and no event. Any contract can print these, so they are shown as the contract's claim.
 */
const SEMI_FUNGIBLE: Words = {
  sft_transfer: p =>
    html`it says that ${p.principal('sender')} gave ${p.principal('recipient')} <b>${p.uint('amount')}</b> of #${p.uint('token-id')}`,
  sft_mint: p =>
    html`it says that ${p.principal('recipient')} got <b>${p.uint('amount')}</b> new of #${p.uint('token-id')}`,
  sft_burn: p =>
    html`it says that <b>${p.uint('amount')}</b> of #${p.uint('token-id')} of ${p.principal('sender')} are burned`,
};
