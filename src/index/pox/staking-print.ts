import { type ClarityTuple, type ClarityValue, decodeClarityValue, tupleMember } from '../../base/codec/index.ts';
import { toHex } from '../../base/lib/hex.ts';

/**
 * A print of PoX 5: a tuple with a topic (docs/spec/staking.md#prints). Reading a member as a kind that it does not have gives
 * undefined.
 */
export class StakingPrint {
  readonly topic: string;
  readonly #members: ClarityTuple;

  private constructor(topic: string, members: ClarityTuple) {
    this.topic = topic;
    this.#members = members;
  }

  /** Undefined for what is no such tuple. Never throws. @param value the printed Clarity value */
  static read(value: Uint8Array): StakingPrint | undefined {
    const decoded = decodeClarityValue(value);
    if (!decoded.ok || decoded.value.type !== 'tuple') return undefined;
    const topic = tupleMember(decoded.value, 'topic');
    return topic?.type === 'string-ascii' ? new StakingPrint(topic.value, decoded.value) : undefined;
  }

  value(name: string): ClarityValue | undefined {
    return tupleMember(this.#members, name);
  }

  uint(name: string): bigint | undefined {
    const value = this.value(name);
    return value?.type === 'uint' ? value.value : undefined;
  }

  principal(name: string): string | undefined {
    const value = this.value(name);
    return value?.type === 'principal' ? value.value : undefined;
  }

  bool(name: string): boolean | undefined {
    const value = this.value(name);
    return value?.type === 'bool' ? value.value : undefined;
  }

  /** 0x hex. */
  buffer(name: string): string | undefined {
    const value = this.value(name);
    return value?.type === 'buffer' ? toHex(value.value) : undefined;
  }
}
