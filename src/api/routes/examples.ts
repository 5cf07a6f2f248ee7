/** Values to try: the bundled sample chain has something for each of them. */

export const ADDRESS = 'ST1WX5N71TVZ7790XRB9M0XBRNKZ04JSD2T590MZN';
/** It got rewards as a miner. */
export const MINER = 'ST2Q7NPVKXDMJ7A74V2865ACZTV36RHHQSHXDV4MH';
/** It has a pending transaction. */
export const PENDING_SENDER = 'ST3WEH1QWK1KS0AM07XBWZJXK9Y3R7ZA8J2VYJ386';
/** It is pending. */
/** Another transaction of its nonce replaced it. */
export const DROPPED_TX_ID = '0x9a14f0559c56edf58f74bf6358f9c993f5c323b2f03633c61135eaeac2f55a15';
export const PENDING_TX_ID = '0x8c96208e6768f7f0fb207d7507cae4a5600a8bc6696bf03c5e71344a7694e5e8';
export const TX_ID = '0xaba14d798fea8f8dd10dc5cf18b443a264cb8fe9ff07fd3a2dc4a16f9f578792';
export const BLOCK_HASH = '0xf095d6b2718e101de3882b2eaf74f4b72ab9b0a1a865915e66c19ed111f56043';
export const CONTRACT_ID = 'ST2P5B3BN0DMZ6DSN0XXTAZ739E575BMS5HHNG6TD.vault';
export const NFT_CONTRACT = 'ST2P5B3BN0DMZ6DSN0XXTAZ739E575BMS5HHNG6TD.apes';
export const SFT_CONTRACT = 'ST2P5B3BN0DMZ6DSN0XXTAZ739E575BMS5HHNG6TD.sft';
export const FT_CONTRACT = 'ST2P5B3BN0DMZ6DSN0XXTAZ739E575BMS5HHNG6TD.token-a';
/** Index block hash of a block that a fork left behind. */
export const FORK_ID = '0x8b3d597bbe04d6d1a785ae8c09fa51511be22dc71c97dc5ca8e199b2839afd5a';
