import type { Account } from './transaction.ts';

/** The faucets of this server, and the accounts that they pay from; an undefined faucet is off. */
export interface FaucetSettings {
  readonly stx: PayerSettings | undefined;
  readonly sbtc: SbtcSettings | undefined;
  readonly btc: WalletSettings | undefined;
}

export interface PayerSettings {
  /** `http://host:port` of the node that transactions are sent to. */
  readonly node: string;
  readonly accounts: readonly Account[];
  readonly chainId: number;
}

export interface SbtcSettings {
  /** `address.contract::asset` of the token (SIP-010). */
  readonly token: string;
  /** Of its smallest unit. */
  readonly amount: number;
}

export interface WalletSettings {
  /** JSON-RPC of bitcoind, perhaps with `/wallet/NAME`; without user and password. */
  readonly url: string;
  /** The `Authorization` header; empty without one. */
  readonly authorization: string;
}
