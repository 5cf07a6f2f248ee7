/** Pages of the explorer over the sample chain: at least one of each kind. */
export const SWAP = '0x3e2c40801c8990de213406a15a5c7c655be1fb53baddf8b1831cab722126bfc9';
export const WAITING = '0x8c96208e6768f7f0fb207d7507cae4a5600a8bc6696bf03c5e71344a7694e5e8';
export const FAILED = '0xe7fc54d1da4b8883953af5d311927a64b54a49696a1f4fa9b02c6153aa13053b';
export const STOPPED = '0x60013c2062d352c9572eef2785112521a669a771868240c988362bbe7e55fa4e';
export const NAMED_ERROR = '0xcf46182a7c28f2fda74e1c2aa502bba113789e6c1b4f01a8c6ccce32ea39c1d5';
export const DEPLOYER = 'ST2P5B3BN0DMZ6DSN0XXTAZ739E575BMS5HHNG6TD';
export const ACCOUNT = 'STSYDBPNZ1YDC8CMR0FN28FZE3EJ0W55XDC17G8Q';

/** Only a block that a fork left behind deployed it. */
export const LOST_CONTRACT = 'ST19K8AF14SKPH72JEYME1BJV7KN26TWFFX1ZWP3M.lost-contract-2-2';

/** Its first block. */
export const FORK = '0x8b3d597bbe04d6d1a785ae8c09fa51511be22dc71c97dc5ca8e199b2839afd5a';

export const PAGES: readonly string[] = [
  '/explorer',
  '/explorer/blocks',
  '/explorer/block/156',
  '/explorer/btc',
  '/explorer/btc/173',
  '/explorer/function/transfer',
  `/explorer/tx/${SWAP}`,
  `/explorer/tx/${WAITING}`,
  `/explorer/address/${ACCOUNT}`,
  `/explorer/address/${ACCOUNT}?at=120`,
  `/explorer/address/${ACCOUNT}?tab=tokens`,
  `/explorer/address/${ACCOUNT}?tab=nfts`,
  `/explorer/address/${ACCOUNT}?tab=transfers`,
  `/explorer/address/${ACCOUNT}?tab=movements`,
  `/explorer/tx/${FAILED}`,
  `/explorer/tx/${STOPPED}`,
  `/explorer/tx/${NAMED_ERROR}`,
  '/explorer/search',
  '/explorer/help',
  `/explorer/contract/${DEPLOYER}.token-a`,
  `/explorer/contract/${DEPLOYER}.token-a/source`,
  `/explorer/contract/${DEPLOYER}.token-a/call/get-balance?a0=${ACCOUNT}&ask=1`,
  `/explorer/contract/${DEPLOYER}.token-a/calls?function=transfer`,
  `/explorer/contract/${DEPLOYER}.amm/events`,
  `/explorer/contract/${DEPLOYER}.amm/account`,
  `/explorer/contract/${LOST_CONTRACT}`,
  '/explorer/contract/ST000000000000000000002AMW42H.pox-4/events',
  '/explorer/contract/ST000000000000000000002AMW42H.bns/events',
  '/explorer/tokens',
  `/explorer/token/${DEPLOYER}.token-a::tokena`,
  `/explorer/token/${DEPLOYER}.token-a::tokena/transfers`,
  `/explorer/token/${DEPLOYER}.token-a::tokena?plot=supply`,
  '/explorer/nfts',
  `/explorer/nft/${DEPLOYER}.birds::bird`,
  `/explorer/nft/${DEPLOYER}.birds::bird?tab=mints`,
  `/explorer/nft/${DEPLOYER}.birds::bird?value=0x010000000000000000000000000000004a`,
  '/explorer/names',
  '/explorer/names?space=sim',
  '/explorer/name/not-registered.sim',
  '/explorer/name/alice.sim',
  '/explorer/stacking',
  '/explorer/stacking/8',
  '/explorer/stacking/8/0x03c789b21a7b3daac009fe5e4c23254f2129f0565f4f8b76d8bc7da64e1351449c',
  '/explorer/mempool?order=fee',
  '/explorer/status',
  '/explorer/gallery',
  '/explorer/forks',
  `/explorer/fork/${FORK}`,
  `/explorer/block/${FORK}`,
];

/** Pages over the chain of today: what only PoX 5 has. */
export const PAGES_OF_TODAY: readonly string[] = [
  '/explorer/stacking/bond/1',
  '/explorer/stacking',
  '/explorer/stacking/manager/STA1850M2GA1850M2GA1850M2GA1850M2GD03PKW.second',
  '/explorer/contract/ST000000000000000000002AMW42H.pox-5/events',
  '/explorer/address/STGJ289144GJ289144GJ289144GJ289147ATAMAA',
];
