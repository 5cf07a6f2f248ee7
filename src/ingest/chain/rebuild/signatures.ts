import { recoverPublicKey } from '@noble/secp256k1';
import type { NakamotoHeader } from '../../../base/codec/index.ts';
import { hexBytes, rawHex } from '../../../base/lib/hex.ts';
import type { RewardSetSigner } from '../../node/events/block.ts';

/** The share of the weight that must sign a block. */
const THRESHOLD = { of: 10, needed: 7 };

/**
 * Whether the signatures of a header are of these signers, each once, and carry 70 % of their weight.
 * @returns why not; undefined if they do
 */
export function unsigned(
  header: NakamotoHeader,
  signers: readonly Pick<RewardSetSigner, 'signing_key' | 'weight'>[],
): string | undefined {
  const weights = new Map(signers.map(({ signing_key, weight }) => [signing_key, weight]));
  const total = signers.reduce((sum, { weight }) => sum + weight, 0);
  const message = hexBytes(header.blockHash);
  let weight = 0;
  for (const signature of header.signerSignatures) {
    const key = keyOf(message, hexBytes(signature));
    const own = key === undefined ? undefined : weights.get(key);
    if (key === undefined || own === undefined) return 'a signature is of none of its signers';
    weights.delete(key);
    weight += own;
  }
  return weight * THRESHOLD.of >= total * THRESHOLD.needed
    ? undefined
    : `its signatures carry ${weight} of the weight ${total}, less than 70 %`;
}

function keyOf(message: Uint8Array, signature: Uint8Array): string | undefined {
  try {
    return rawHex(recoverPublicKey(signature, message, { prehash: false }));
  } catch {
    return undefined;
  }
}
