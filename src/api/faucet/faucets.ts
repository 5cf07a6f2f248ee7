import type { Api } from '../http/server.ts';
import { BtcFaucet } from './btc-faucet.ts';
import { Payer, type PayerParts } from './payer.ts';
import type { FaucetSettings } from './settings.ts';
import { SbtcFaucet, StxFaucet } from './token-faucets.ts';

/** The faucets of a server; an undefined one is off. */
interface Faucets {
  readonly stx: StxFaucet | undefined;
  readonly sbtc: SbtcFaucet | undefined;
  readonly btc: BtcFaucet | undefined;
}

interface Parts extends Pick<PayerParts, 'nextNonce' | 'onTaken'> {
  readonly settings: FaucetSettings;
  /** Milliseconds; the clock of the machine unless given. */
  readonly now?: () => number;
}

const opened = new WeakMap<Parts, Faucets>();

/** The faucets of these parts, made once, as all versions of their routes share nonces and limits. They end with the server. */
export function faucetsOf(api: Api, parts: Parts): Faucets {
  const known = opened.get(parts);
  if (known) return known;
  const { settings, now = Date.now } = parts;
  const { ledger } = api.clients;
  const payer = settings.stx && new Payer({ ...parts, settings: settings.stx, log: api.log, ledger }, now);
  const btc = settings.btc && new BtcFaucet(settings.btc, api.log, ledger, now);
  api.addHook('onClose', async () => {
    await payer?.close();
    await btc?.close();
  });
  const faucets = {
    stx: payer && settings.stx && new StxFaucet(payer, settings.stx, now),
    sbtc: payer && settings.sbtc && new SbtcFaucet(payer, settings.sbtc, now),
    btc,
  };
  opened.set(parts, faucets);
  return faucets;
}
