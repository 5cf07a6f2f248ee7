import type { Account } from './transaction.ts';

/** The faucets of this server, and their accounts; an undefined faucet is off. */
export interface FaucetSettings {
  readonly stx: StxSettings | undefined;
  readonly sbtc: SbtcSettings | undefined;
  readonly btc: BtcSettings | undefined;
}

export interface PayerSettings {
  /** `http://host:port` of the node that gets the transactions. */
  readonly node: string;
  readonly accounts: readonly Account[];
  readonly chainId: number;
}

export interface StxSettings extends PayerSettings {
  /** Micro-STX of a request that names no other amount. */
  readonly amount: number;
}

export interface SbtcSettings {
  /** `address.contract::asset` of the token (SIP-010). */
  readonly token: string;
  /** Amount in its smallest unit. */
  readonly amount: number;
}

export interface WalletSettings {
  /** JSON-RPC of bitcoind, perhaps with `/wallet/NAME`; without user and password. */
  readonly url: string;
  /** The `Authorization` header; empty without one. */
  readonly authorization: string;
}

export interface BtcSettings extends WalletSettings {
  /** Satoshis of a request that names no other amount. */
  readonly amount: number;
}
