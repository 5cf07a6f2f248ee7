import type { Database, DatabaseTransaction } from '../../src/base/store/database.ts';
import type { ListKind } from '../../src/ingest/indexer/tables.ts';

/** A change to a sound index, and the check that must report it. */
export type Corruption = readonly [check: string, what: string, ...statements: string[]];

const HEX = 'ab'.repeat(32);
/** 32 bytes that are no hash of anything, in the SQL of both engines. */
const hashIn = (engine: Database['engine']) => (engine === 'sqlite' ? `X'${HEX}'` : `'\\x${HEX}'::bytea`);
const bytesIn = (engine: Database['engine'], hex: string) => (engine === 'sqlite' ? `X'${hex}'` : `'\\x${hex}'::bytea`);

/** Ways in which the longest list of each kind loses entries that no gap shows, as the directory agrees. */
export const LOSSES = [
  {
    what: 'has lost its newest entry',
    async lose(kinds: readonly ListKind[], tx: DatabaseTransaction): Promise<void> {
      for (const kind of kinds) {
        const { name } = kind.entries;
        await tx.run(`DELETE FROM ${name} WHERE ${isOfLongest(kind)} AND seq = (${longest('length', kind)}) - 1`);
        await tx.run(
          `UPDATE lists SET length = length - 1 WHERE kind = ${kind.code} AND name = (${longest('name', kind)})`,
        );
      }
    },
  },
  {
    what: 'is gone',
    async lose(kinds: readonly ListKind[], tx: DatabaseTransaction): Promise<void> {
      for (const kind of kinds) {
        await tx.run(`DELETE FROM ${kind.entries.name} WHERE ${isOfLongest(kind)}`);
        await tx.run(`DELETE FROM lists WHERE kind = ${kind.code} AND name = (${longest('name', kind)})`);
      }
    },
  },
] as const;

const isOfLongest = (kind: ListKind): string => (kind.named ? `list = (${longest('id', kind)})` : 'seq >= 0');

const longest = (column: string, { code }: ListKind): string =>
  `SELECT ${column} FROM lists WHERE kind = ${code} ORDER BY length DESC, name LIMIT 1`;

/** Corruptions of an index of the sample chain, in the SQL of an engine; each check has some. */
export function corruptions(engine: Database['engine']): Corruption[] {
  const noHash = hashIn(engine);
  const anyTx = '(SELECT tx_id FROM txs WHERE seq = 700)';
  return [
    ['journal', 'an entry is missing', 'DELETE FROM journal WHERE seq = 100'],
    [
      'journal',
      'a payload is that of another entry',
      'UPDATE journal SET payload = (SELECT payload FROM journal WHERE seq = 1) WHERE seq = 2',
    ],
    ['journal', 'a payload is damaged', `UPDATE journal SET payload = ${noHash} WHERE seq = 100`],
    ['journal', 'a digest is wrong', `UPDATE journal SET digest = ${bytesIn(engine, 'ab'.repeat(16))} WHERE seq = 100`],
    ['state', 'the end of the journal is lost', 'DELETE FROM journal WHERE seq > 600'],
    [
      'network',
      'the index is of another chain than its blocks',
      `UPDATE meta SET value = '0x00000001' WHERE name = 'chain_id'`,
    ],
    ['network', 'the index does not name the chain of its blocks', `DELETE FROM meta WHERE name = 'chain_id'`],
    ['state', 'the last block is lost', 'DELETE FROM blocks WHERE seq = (SELECT max(seq) FROM blocks)'],
    [
      'state',
      'a burn block is not canonical any more',
      'UPDATE burn_blocks SET canonical = 0 WHERE height = (SELECT max(height) FROM burn_blocks WHERE canonical = 1)',
    ],
    [
      'state',
      'the facts name a microblock',
      `UPDATE facts SET value = '[["0x00",0,1]]' WHERE name = 'unanchored_microblocks'`,
      `INSERT INTO facts SELECT 'unanchored_microblocks', '[["0x00",0,1]]' WHERE NOT EXISTS (SELECT 1 FROM facts WHERE name = 'unanchored_microblocks')`,
    ],
    [
      'burn chain',
      'a burn block has another height than in the journal',
      'UPDATE burn_blocks SET height = height + 10000 WHERE hash = (SELECT min(hash) FROM burn_blocks)',
    ],
    [
      'burn chain',
      'the parent of a canonical burn block is not canonical',
      'UPDATE burn_blocks SET canonical = 0 WHERE hash = (SELECT parent_hash FROM burn_blocks WHERE canonical = 1 AND parent_hash IN (SELECT hash FROM burn_blocks) ORDER BY height DESC LIMIT 1)',
    ],
    [
      'burn chain',
      'two canonical burn blocks have one height',
      `INSERT INTO burn_blocks SELECT ${noHash}, height, parent_hash, consensus_hash, 1, journal_seq FROM burn_blocks WHERE hash = (SELECT min(hash) FROM burn_blocks WHERE canonical = 1)`,
    ],
    [
      'tip',
      'a burn block remembers a block that has not seen it',
      `INSERT INTO remembered_tips SELECT ${noHash}, height, 3 FROM burn_blocks WHERE canonical = 1 ORDER BY height DESC LIMIT 1`,
    ],
    [
      'tip',
      'a higher block is connected',
      'UPDATE known_blocks SET height = 1000000 WHERE arrival = (SELECT known FROM blocks WHERE seq = 5)',
    ],
    [
      'names',
      'somebody has a name of which no event tells',
      `INSERT INTO names_v2 (id, name, owner, since_height) VALUES ('1', 'a.b', 'nobody', 1)`,
      `INSERT INTO listed_names VALUES ('b', 'a.b', 0, 1, 1)`,
    ],
    ['names', 'a name is missing', 'DELETE FROM listed_names WHERE name = (SELECT min(name) FROM listed_names)'],
    [
      'names',
      'a name is not found by a part',
      'DELETE FROM name_parts WHERE name = (SELECT min(name) FROM name_parts)',
    ],
    ['names', 'a name is listed that nobody has', `INSERT INTO listed_names VALUES ('b', 'a.b', 1, NULL, 1)`],
    [
      'names',
      'a name had another owner before',
      `UPDATE past_names SET owner = 'nobody' WHERE seq = (SELECT max(seq) FROM past_names)`,
    ],
    [
      'names',
      'a revoked name is listed',
      'UPDATE listed_names SET v1 = 1 - v1 WHERE name = (SELECT min(name) FROM listed_names)',
    ],
    [
      'zone files',
      'a subdomain is missing',
      'DELETE FROM subdomains WHERE owner = (SELECT min(owner) FROM subdomains)',
    ],
    ['zone files', 'a subdomain has another owner', `UPDATE subdomains SET owner = 'nobody'`],
    ['zone files', 'a zone file is another one', `UPDATE zone_files SET content = ${noHash}`],
    [
      'locks of PoX 5',
      'an account has a lock of which no event tells',
      `INSERT INTO locks VALUES ('nobody', '{"5":[["0x00","1",2,3,4,0]]}')`,
    ],
    ['known blocks', 'a block is missing', 'DELETE FROM known_blocks WHERE arrival = 40'],
    [
      'known blocks',
      'a block is said to be in another entry',
      'UPDATE known_blocks SET journal_seq = journal_seq + 1 WHERE arrival = 40',
    ],
    [
      'known blocks',
      'a block has another height than its payload',
      'UPDATE known_blocks SET height = height + 1 WHERE arrival = 40',
    ],
    [
      'known blocks',
      'a block has another hash than its payload',
      `UPDATE known_blocks SET block_hash = ${noHash} WHERE arrival = 40`,
    ],
    [
      'known blocks',
      'a block waits for a parent that it has',
      'UPDATE known_blocks SET waits_for = parent_index_block_hash WHERE arrival = 40',
    ],
    ['known blocks', 'a block is marked as not connected', 'UPDATE known_blocks SET connected = 0 WHERE arrival = 40'],
    ['known blocks', 'an orphaned block is not listed', 'DELETE FROM orphaned_blocks WHERE height = 140'],
    [
      'known blocks',
      'a canonical block is listed as orphaned',
      'INSERT INTO orphaned_blocks SELECT height, index_block_hash, parent_index_block_hash, arrival FROM known_blocks WHERE height = 40 AND arrival IN (SELECT known FROM blocks)',
    ],
    [
      'known blocks',
      'a block that nobody knows is listed as orphaned',
      `INSERT INTO orphaned_blocks VALUES (7, ${noHash}, ${noHash}, 100000)`,
    ],
    ['canonical chain', 'a block is not among the known ones', 'UPDATE blocks SET known = 100000 WHERE seq = 40'],
    [
      'canonical chain',
      'a block does not stand on the one below',
      `UPDATE known_blocks SET parent_index_block_hash = ${noHash} WHERE arrival = (SELECT known FROM blocks WHERE seq = 40)`,
    ],
    [
      'canonical chain',
      'two heights have the same block',
      'UPDATE blocks SET known = (SELECT known FROM blocks WHERE seq = 39) WHERE seq = 40',
    ],
    [
      'canonical chain',
      'a burn block under a block is not canonical',
      'UPDATE burn_blocks SET canonical = 0 WHERE hash = (SELECT k.burn_block_hash FROM blocks b JOIN known_blocks k ON k.arrival = b.known JOIN burn_blocks u ON u.hash = k.burn_block_hash ORDER BY b.seq DESC LIMIT 1)',
    ],
    [
      'canonical chain',
      'a transaction is left out between two blocks',
      'UPDATE blocks SET first_tx = first_tx + 1 WHERE seq = 40',
    ],
    ['burn blocks and tenures', 'a block has another burn block', 'UPDATE blocks SET burn_number = 0 WHERE seq = 40'],
    ['burn blocks and tenures', 'a block has another tenure', 'UPDATE blocks SET tenure_height = 7777 WHERE seq = 140'],
    ['burn blocks and tenures', 'a block has another time', 'UPDATE blocks SET block_time = 0 WHERE seq = 40'],
    [
      'burn blocks and tenures',
      'the newest burn block is forgotten',
      "DELETE FROM facts WHERE name = 'newest_burn_block'",
    ],
    ['signatures', 'those of a block are lost', 'UPDATE block_signatures SET signatures = NULL WHERE seq = 140'],
    ['microblocks', 'the last one is lost', 'DELETE FROM microblocks WHERE seq = (SELECT max(seq) FROM microblocks)'],
    ['microblocks', 'one is elsewhere', 'UPDATE microblocks SET first_tx = first_tx + 1 WHERE seq = 1'],
    ['microblocks', 'one stands on another block', `UPDATE microblocks SET parent_block = ${noHash} WHERE seq = 1`],
    ['microblocks', 'one has another parent', `UPDATE microblocks SET parent_hash = ${noHash} WHERE seq = 1`],
    [
      'microblocks',
      'there is one more',
      'INSERT INTO microblocks SELECT seq + 1, hash, parent_hash, sequence, parent_block, first_tx, tx_rows FROM microblocks ORDER BY seq DESC LIMIT 1',
    ],
    ['microblocks', 'they are not known', 'DELETE FROM known_microblocks'],
    ['supplies of tokens', 'a token had more', `UPDATE ft_supplies SET total = '1' WHERE seq = 0`],
    ['supplies of tokens', 'a supply came earlier', 'UPDATE ft_supplies SET height = height - 1'],
    ['supply', 'there are more STX', `UPDATE supplies SET total = '1'`],
    ['supply', 'there were more STX', `UPDATE stx_supplies SET total = '1' WHERE seq = 1`],
    ['supply', 'the last change is lost', 'DELETE FROM stx_supplies WHERE seq = (SELECT max(seq) FROM stx_supplies)'],
    ['burn times', 'the highest time falls', 'UPDATE blocks SET high_time = high_time - 1 WHERE seq = 40'],
    [
      'burn times',
      'a block is late that is not',
      'INSERT INTO late_blocks SELECT count(*), 1, 0, 0, 1 FROM late_blocks',
    ],
    ['burn times', 'the greatest lateness is lost', `UPDATE facts SET value = '[0,0]' WHERE name = 'burn_times'`],
    ['canonical chain', 'the last transaction is lost', 'DELETE FROM txs WHERE seq = (SELECT max(seq) FROM txs)'],
    ['transactions', 'a transaction is replaced by another one', `UPDATE txs SET tx_id = ${noHash} WHERE seq = 700`],
    [
      'transactions',
      'a transaction is there twice',
      'UPDATE txs SET tx_id = (SELECT t.tx_id FROM txs t WHERE t.seq = 701) WHERE seq = 700',
    ],
    ['transactions', 'a transaction is missing', 'DELETE FROM txs WHERE seq = 700'],
    [
      'transactions',
      'a transaction has the height of another block',
      'UPDATE txs SET height = height + 1 WHERE seq = 700',
    ],
    ['transactions', 'a transaction has another time', 'UPDATE txs SET burn_time = burn_time + 1 WHERE seq = 700'],
    [
      'bytes of transactions',
      'the bytes of a canonical transaction are missing',
      'UPDATE tx_bodies SET raw = (SELECT substr(b.raw, 1, 0) FROM tx_bodies b WHERE b.seq = 700) WHERE seq = 700',
    ],
    [
      'bytes of transactions',
      'the bytes of a transaction are those of another one',
      'UPDATE tx_bodies SET raw = (SELECT b.raw FROM tx_bodies b WHERE b.seq = 701) WHERE seq = 700',
    ],
    [
      'bytes of transactions',
      'the bytes of a canonical transaction are kept twice',
      'INSERT INTO raw_txs SELECT t.tx_id, b.raw FROM txs t JOIN tx_bodies b ON b.seq = t.seq WHERE t.seq = 700',
    ],
    [
      'bytes of transactions',
      'the bytes of a pending transaction are missing',
      'DELETE FROM raw_txs WHERE tx_id = (SELECT min(tx_id) FROM pending_txs)',
    ],
    [
      'lists',
      'an entry in the middle is missing',
      'DELETE FROM address_txs WHERE seq = 1 AND list = (SELECT min(list) FROM address_txs WHERE seq = 3)',
    ],
    ['lists', 'an entry is of no list', 'INSERT INTO list_txs (list, seq, tx) VALUES (1000000, 0, 0)'],
    ['lists', 'a list has no entries', 'DELETE FROM nft_mints WHERE list = (SELECT min(list) FROM nft_mints)'],
    ['lists', 'a list is of no kind', `INSERT INTO lists (kind, name, id, length) VALUES (999, 'x', 0, 1)`],
    ['lists', 'two lists have one identifier', 'UPDATE lists SET id = 0 WHERE kind = 20 AND id = 1'],
    [
      'lists',
      'a counter is not the number of lists',
      `UPDATE list_counters SET count = count + 1 WHERE entries = 'list_txs'`,
    ],
    [
      'positions',
      'an entry stands for a transaction that does not exist',
      'UPDATE list_txs SET tx = 1000000 WHERE seq = 0 AND list = (SELECT min(list) FROM list_txs)',
    ],
    [
      'positions',
      'a mint stands for a transaction that does not exist',
      'UPDATE nft_mints SET tx = 1000000 WHERE seq = 0 AND list = 0',
    ],
    [
      'positions',
      'a transfer of a token stands for a transaction that does not exist',
      'UPDATE ft_events SET tx = 1000000 WHERE seq = 0 AND list = 0',
    ],
    [
      'positions',
      'a log by topic stands for a transaction that does not exist',
      'UPDATE contract_log_lists SET tx = 1000000 WHERE seq = 0 AND list = 0',
    ],
    [
      'positions',
      'entries are in the wrong order',
      'UPDATE address_txs SET tx = 0 WHERE seq = 2 AND list = (SELECT min(list) FROM address_txs WHERE seq = 3)',
    ],
    ['positions', 'a payment does not exist', 'UPDATE address_rewards SET reward = 1000000 WHERE seq = 0'],
    ['rewards', 'an address was paid something else', `UPDATE reward_totals SET amount = '1'`],
    ['rewards', 'an address was paid nothing', 'DELETE FROM reward_totals'],
    [
      'rewards',
      'a payment is another one',
      'UPDATE rewards SET record = (SELECT r.record FROM rewards r WHERE r.seq = 1) WHERE seq = 0',
    ],
    [
      'rewards',
      'the newest reward slot is lost',
      'DELETE FROM reward_slots WHERE seq = (SELECT max(seq) FROM reward_slots)',
    ],
    ['rewards', 'no burn block tells of a transaction', `INSERT INTO pox_txs VALUES (0, 1, '{}')`],
    ['positions', 'a reward slot does not exist', 'UPDATE address_reward_slots SET slot = 1000000 WHERE seq = 0'],
    [
      'totals',
      'a list by sender is missing from the directory',
      'DELETE FROM lists WHERE kind = 3 AND id = (SELECT min(id) FROM lists WHERE kind = 3)',
    ],
    ['totals', 'a list of logs is too long', 'UPDATE lists SET length = length + 1 WHERE kind = 32'],
    ['totals', 'a list of logs by topic is too long', 'UPDATE lists SET length = length + 1 WHERE kind = 37'],
    ['totals', 'a list of logs by principal is too long', 'UPDATE lists SET length = length + 1 WHERE kind = 38'],
    ['totals', 'a contract has another topic', `UPDATE contract_log_topics SET topic = 'x' WHERE seq = 0 AND list = 0`],
    ['totals', 'a list of locks is too long', 'UPDATE lists SET length = length + 1 WHERE kind = 12'],
    ['totals', 'a list of transfers of a token is too long', 'UPDATE lists SET length = length + 1 WHERE kind = 14'],
    [
      'totals',
      'a list by type has another name',
      `UPDATE lists SET name = 'transfer' WHERE kind = 2 AND name = 'token_transfer'`,
    ],
    [
      'balances',
      'a principal has received more',
      `UPDATE accounts SET received = received || '0' WHERE principal = (SELECT min(principal) FROM accounts WHERE received <> '0')`,
    ],
    ['balances', 'a reward is forgotten', `UPDATE accounts SET rewards = '0' WHERE rewards <> '0'`],
    ['balances', 'fees are not paid', `UPDATE accounts SET fees = '0' WHERE fees <> '0'`],
    [
      'balances',
      'an account is missing',
      `DELETE FROM accounts WHERE principal = (SELECT min(principal) FROM accounts WHERE sent <> '0')`,
    ],
    ['balances', 'STX have another holder', `UPDATE token_holders SET holders = holders + 1 WHERE token = ''`],
    ['balances', 'a balance is forgotten', 'DELETE FROM stx_balances WHERE seq = 1'],
    ['balances', 'a balance was another', 'UPDATE stx_balances SET balance = (SELECT min(balance) FROM stx_balances)'],
    ['balances', 'an account had more once', 'UPDATE accounts SET peak = peak + 1 WHERE peak IS NOT NULL'],
    ['balances', 'an account is sorted elsewhere', 'UPDATE accounts SET balance = NULL WHERE balance IS NOT NULL'],
    [
      'balances of tokens',
      'a token was received twice',
      `UPDATE token_balances SET received = received || '0' WHERE kind = 'ft'`,
    ],
    ['balances of tokens', 'a balance is missing', `DELETE FROM token_balances WHERE kind = 'nft'`],
    ['balances of tokens', 'a change is missing', 'DELETE FROM token_changes WHERE seq = 0'],
    ['balances of tokens', 'a change was earlier', 'UPDATE token_changes SET tx = tx - 1 WHERE tx > 1'],
    [
      'balances of tokens',
      'a principal had more of a token once',
      'UPDATE token_balances SET peak = peak + 1 WHERE peak IS NOT NULL',
    ],
    ['balances of tokens', 'how many tokens were held is forgotten', 'DELETE FROM tokens_held_then WHERE seq = 0'],
    ['balances of tokens', 'more tokens were held', 'UPDATE tokens_held_then SET fts = fts + 1 WHERE seq = 0'],
    [
      'balances of tokens',
      'a change left more',
      'UPDATE token_changes SET held = (SELECT min(held) FROM token_changes)',
    ],
    [
      'balances of tokens',
      'a transfer is counted twice',
      `UPDATE token_balances SET changes = changes + 1 WHERE kind = 'ft'`,
    ],
    ['balances', 'a miner has other coinbases', `UPDATE mined_coinbases SET total = total || '0'`],
    ['balances of tokens', 'a supply is wrong', `UPDATE token_holders SET supply = '1' WHERE token <> ''`],
    ['balances of tokens', 'a principal has another token', 'UPDATE tokens_held SET fts = fts + 1'],
    ['histories', 'sums stand still', 'UPDATE address_txs SET totals = (SELECT min(totals) FROM address_txs)'],
    ['histories', 'an entry is left out', 'UPDATE address_txs SET without_stx = without_stx + 1 WHERE seq = 2'],
    ['histories', 'a sponsor is listed', 'UPDATE address_txs SET without_transfers = 0'],
    ['histories', 'a nonce is too high', 'UPDATE address_txs SET paid_nonce = paid_nonce + 1'],
    ['balances', 'a reward has grown', `UPDATE miner_rewards SET total = total || '0'`],
    ['changes of locks', 'a lock is forgotten', `UPDATE lock_changes SET locks = '{}'`],
    ['balances', 'an event is missing', 'UPDATE tx_bodies SET events = NULL WHERE seq < 1000'],
    [
      'owners of NFTs',
      'a token is with somebody else',
      `UPDATE nft_owners SET owner = 'ST000000000000000000002AMW42H'`,
    ],
    [
      'owners of NFTs',
      'a token is missing',
      'DELETE FROM nft_owners WHERE token = (SELECT min(token) FROM nft_owners)',
    ],
    [
      'owners of NFTs',
      'a token is there that was never minted',
      `INSERT INTO nft_owners (asset, token, owner, tx, event_index) VALUES ('a.b::c', ${noHash}, 'd', 0, 0)`,
    ],
    [
      'stacking operations',
      'a print tells of another stacker',
      `UPDATE pox_events SET event = replace(event, '"stacker":"S', '"stacker":"T') WHERE event IS NOT NULL`,
    ],
    ['owners of NFTs', 'a token came earlier', 'UPDATE nft_owners SET tx = tx - 1 WHERE tx > 0'],
    ['owners of NFTs', 'an owner has more', 'UPDATE nft_holdings SET tokens = tokens + 1'],
    ['owners of NFTs', 'a collection has more', 'UPDATE nft_collections SET items = items + 1'],
    ['owners of NFTs', 'a collection has fewer owners', 'UPDATE nft_collections SET owners = owners - 1'],
    ['owners of NFTs', 'a collection is missing', `DELETE FROM nft_collections WHERE asset <> ''`],
    [
      'events of tokens',
      'a token names another event',
      'UPDATE tokens SET event = event + 1 WHERE contract_id = (SELECT min(contract_id) FROM tokens)',
    ],
    [
      'events of tokens',
      'a token was never deployed',
      `DELETE FROM token_events WHERE kind = 'deploy' AND token IS NULL`,
    ],
    [
      'bytes of transactions',
      'the last transaction has no body',
      'DELETE FROM tx_bodies WHERE seq = (SELECT max(seq) FROM tx_bodies)',
    ],
    ['totals', 'an event of a token is missing', 'UPDATE lists SET length = length + 1 WHERE kind = 44'],
    [
      'who stacks',
      'a stacker has another amount',
      `UPDATE pox_stackers SET rank = ${bytesIn(engine, 'ab'.repeat(17))}`,
    ],
    ['who stacks', 'an operator has another key', `UPDATE pox_operators SET signing_key = '0x00'`],
    [
      'who stacks',
      'a manager has a key of which no print tells',
      `INSERT INTO pox_signer_keys VALUES ('a', 1, '0x00', ${noHash})`,
    ],
    ['rewards', 'miners had burnt more', `UPDATE miner_total_changes SET burnt = '7' WHERE seq = 0`],
    [
      'rewards',
      'miners have burnt more',
      `INSERT INTO miner_totals VALUES ('burnt', '7') ON CONFLICT (name) DO UPDATE SET sats = '7'`,
    ],
    [
      'signers',
      'a signer has more weight',
      `UPDATE pox_signers SET record = replace(record, '"weight":', '"weight":1')`,
    ],
    ['signers', 'a cycle has no signers', 'DELETE FROM pox_signers WHERE list = 0'],
    [
      'contracts',
      'a deployment is forgotten',
      'DELETE FROM deployments WHERE contract_id = (SELECT min(contract_id) FROM contracts WHERE interface IS NOT NULL)',
    ],
    [
      'contracts',
      'a contract is of no standard',
      'DELETE FROM token_contracts WHERE contract_id = (SELECT min(contract_id) FROM token_contracts)',
    ],
    ['staking', 'there is a bond of which no print tells', `INSERT INTO staking_counts VALUES ('bonds', 1, 1)`],
    ['stackers', 'a count is too high', 'UPDATE pox_stacker_counts SET stackers = stackers + 1'],
    [
      'stackers',
      'a count is missing',
      'DELETE FROM pox_stacker_counts WHERE cycle = (SELECT max(cycle) FROM pox_stacker_counts)',
    ],
    [
      'stackers',
      'a stacker is missing',
      'DELETE FROM pox_stackers WHERE stacker = (SELECT min(stacker) FROM pox_stackers)',
    ],
    ['mempool', 'a pending transaction was never seen', 'DELETE FROM mempool_txs'],
    ['mempool', 'a dropped transaction is not listed', 'DELETE FROM dropped_txs'],
    ['mempool', 'a dropped transaction is listed at another time', 'UPDATE dropped_txs SET receipt_time = 7'],
    [
      'mempool',
      'a mined transaction is pending',
      `UPDATE pending_txs SET tx_id = ${anyTx} WHERE tx_id = (SELECT min(tx_id) FROM pending_txs)`,
    ],
    [
      'mempool',
      'a pending transaction is in no list',
      'DELETE FROM pending_lists WHERE tx_id = (SELECT min(tx_id) FROM pending_txs)',
    ],
    ['mempool', 'a pending transaction has another role', 'UPDATE pending_lists SET roles = roles + 16'],
    ['mempool', 'a sum of what is pending is another', `UPDATE pending_sums SET received = received || '0'`],
    [
      'mempool',
      'a sum of what is pending is missing',
      'DELETE FROM pending_sums WHERE principal = (SELECT min(principal) FROM pending_sums)',
    ],
    [
      'undo log',
      'the record of a block is missing',
      `DELETE FROM undo_log WHERE chain = 'stacks' AND depth = (SELECT min(depth) FROM undo_log WHERE chain = 'stacks')`,
    ],
    [
      'undo log',
      'the newest record is missing',
      `DELETE FROM undo_log WHERE chain = 'burn' AND depth = (SELECT max(depth) FROM undo_log WHERE chain = 'burn')`,
    ],
    [
      'undo log',
      'a record is of another block',
      `UPDATE undo_log SET block = ${noHash} WHERE chain = 'stacks' AND depth = (SELECT min(depth) FROM undo_log WHERE chain = 'stacks')`,
    ],
    ['undo log', 'a record is damaged', `UPDATE undo_log SET record = ${noHash} WHERE chain = 'burn' AND depth = 5`],
  ];
}
