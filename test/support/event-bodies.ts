/** Hand-written bodies in the shape of today's nodes. Tests spread them and change one field. */
export const h32 = (digit: string): string => `0x${digit.repeat(64)}`;
export const h20 = (digit: string): string => `0x${digit.repeat(40)}`;
const cost = { runtime: 1, read_count: 2, read_length: 3, write_count: 4, write_length: 5 };

export const sampleTransaction = {
  txid: h32('a'),
  tx_index: 0,
  raw_tx: '0x8080',
  raw_result: '0x0703',
  status: 'success',
  contract_interface: null,
  burnchain_op: null,
  execution_cost: cost,
  microblock_hash: null,
  microblock_parent_hash: null,
  microblock_sequence: null,
  vm_error: null,
};

export const sampleEvent = {
  txid: h32('a'),
  event_index: 0,
  committed: true,
  type: 'stx_transfer_event',
  stx_transfer_event: { sender: 'ST1', recipient: 'ST2', amount: '1000', memo: '00' },
};

export const sampleBlock = {
  block_hash: h32('1'),
  block_height: 7,
  index_block_hash: h32('2'),
  parent_block_hash: h32('3'),
  parent_index_block_hash: h32('4'),
  parent_microblock: h32('0'),
  parent_microblock_sequence: 0,
  burn_block_hash: h32('5'),
  burn_block_height: 100,
  burn_block_time: 1_700_000_000,
  parent_burn_block_hash: h32('6'),
  parent_burn_block_height: 99,
  parent_burn_block_timestamp: 1_699_999_000,
  miner_txid: h32('7'),
  matured_miner_rewards: [],
  transactions: [sampleTransaction],
  events: [sampleEvent],
};

export const sampleBurnBlock = {
  burn_block_hash: h32('5'),
  burn_block_height: 100,
  burn_amount: 20_000,
  reward_recipients: [{ recipient: 'mxXw9bceXuFB6HZjqriS527kTqt5H9VczT', amt: 30_000 }],
  reward_slot_holders: ['mxXw9bceXuFB6HZjqriS527kTqt5H9VczT'],
};

export const sampleDrop = { dropped_txids: [h32('a')], reason: 'ReplaceByFee', new_txid: h32('b') };

export const sampleMicroblocks = {
  parent_index_block_hash: h32('4'),
  burn_block_hash: h32('5'),
  burn_block_height: 100,
  burn_block_timestamp: 1_700_000_000,
  transactions: [
    {
      ...sampleTransaction,
      microblock_hash: h32('c'),
      microblock_parent_hash: h32('d'),
      microblock_sequence: 0,
    },
  ],
  events: [],
};

export const sampleAttachment = {
  attachment_index: 3,
  index_block_hash: h32('2'),
  block_height: 7,
  content_hash: h20('e'),
  contract_id: 'ST000000000000000000002AMW42H.bns',
  metadata: '0x0c00000000',
  tx_id: h32('a'),
  content: '0x',
};

/** One good body for every path that is read. */
export const sampleBodies = {
  '/new_block': sampleBlock,
  '/new_burn_block': sampleBurnBlock,
  '/new_mempool_tx': ['0x8080', '0x0000'],
  '/drop_mempool_tx': sampleDrop,
  '/new_microblocks': sampleMicroblocks,
  '/attachments/new': [sampleAttachment],
} as const;

export const toBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
