import fc from '../../support/fast-check.ts';
import { at, cursorPages, named, numbers, on, pageQuery, query, type Requests } from './parameters.ts';
import type { Subjects } from './subjects.ts';

/** Blocks, tenures, burn blocks and microblocks. */
export const ofBlocks = ({
  hash,
  indexHash,
  microblockHash,
  burnHash,
  height,
  burnHeight,
  burnRef,
  blockRef,
  times,
}: Subjects): Requests => [
  fc.constant('/extended/v1/microblock/unanchored/txs'),
  on(fc.constant('/extended/v1/microblock'), pageQuery(200)),
  at('/extended/v1/microblock/*', microblockHash),
  on(at('/extended/v1/tx/block/*', hash), pageQuery(200)),
  on(at('/extended/v1/tx/block_height/*', height), pageQuery(50)),
  on(fc.constant('/extended/v2/blocks'), pageQuery(30)),
  at('/extended/v2/blocks/*', blockRef),
  fc.constant('/extended/v2/blocks/average-times'),
  at('/extended/v2/blocks/by-block-time/*', fc.constantFrom('0', '9999999999', ...times)),
  { weight: 2, arbitrary: on(at('/extended/v2/block-tenures/*/blocks', height), tenureQuery(indexHash)) },
  on(fc.constant('/extended/v2/burn-blocks'), pageQuery(30)),
  on(at('/extended/v2/burn-blocks/*/blocks', burnRef), pageQuery(30)),
  on(at('/extended/v2/blocks/*/transactions', blockRef), pageQuery(50)),
  at('/extended/v1/block/by_burn_block_hash/*', burnHash),
  on(fc.constant('/extended/v1/block'), pageQuery(30)),
  on(at('/extended/v2/blocks/*/signer-signatures', blockRef), pageQuery(1000)),
  at('/extended/v1/block/*', hash),
  at('/extended/v1/block/by_height/*', height),
  at('/extended/v1/block/by_burn_block_height/*', burnHeight),
  at('/extended/v2/burn-blocks/*', burnRef),
  on(
    fc.constant('/extended/v3/forks'),
    cursorPages(
      4,
      fc.tuple(height, indexHash).map(parts => parts.join(':')),
    ),
  ),
  { weight: 2, arbitrary: at('/extended/v3/forks/*', fc.oneof(indexHash, hash)) },
];

const tenureQuery = (indexHash: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  query(numbers('limit', 30, 1), numbers('offset', 3, -3), named('cursor', indexHash));
