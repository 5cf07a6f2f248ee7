/** Mainnet and the rest: they differ in address versions, Bitcoin encodings and the boot address. */
export type Network = 'mainnet' | 'testnet';

export const MAINNET_CHAIN_ID = 0x00000001;
export const TESTNET_CHAIN_ID = 0x80000000;

/** Every chain but mainnet uses the testnet encodings, regtest included (docs/spec/codec.md#pox-addresses). */
export const networkOf = (chainId: number): Network => (chainId === MAINNET_CHAIN_ID ? 'mainnet' : 'testnet');

/** The address that deployed the contracts the chain began with. */
export const bootAddress = (network: Network): string =>
  network === 'mainnet' ? 'SP000000000000000000002Q6VF78' : 'ST000000000000000000002AMW42H';
