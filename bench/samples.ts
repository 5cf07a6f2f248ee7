import {
  AnchorMode,
  Cl,
  type ClarityValue,
  makeContractCall,
  makeContractDeploy,
  makeSTXTokenTransfer,
  Pc,
  type StacksTransactionWire,
  serializeCVBytes,
} from '@stacks/transactions';

const KEY = `${'11'.repeat(32)}01`;
const ADDRESSES = [
  'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7',
  'SP000000000000000000002Q6VF78',
  'SM2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQVX8X0G',
];

/** Transfers, calls with post conditions and deploys, in about the proportions of a busy chain. */
export async function sampleTransactions(): Promise<Uint8Array[]> {
  const common = { senderKey: KEY, network: 'mainnet', fee: 3000n, anchorMode: AnchorMode.Any } as const;
  const made: StacksTransactionWire[] = [];
  for (let i = 0; i < 40; i++) {
    const nonce = BigInt(i);
    const recipient = ADDRESSES[i % 3] as string;
    if (i % 4 === 0) {
      made.push(await makeSTXTokenTransfer({ ...common, nonce, recipient, amount: 1000n + nonce, memo: `order ${i}` }));
    } else if (i % 20 === 1) {
      const codeBody = '(define-read-only (answer) (ok u42))\n'.repeat(50);
      made.push(await makeContractDeploy({ ...common, nonce, contractName: `contract-${i}`, codeBody }));
    } else {
      const call = { contractAddress: recipient, contractName: 'amm-pool-v2-01', functionName: 'swap-helper' };
      const postConditions = [
        Pc.principal(recipient)
          .willSendLte(1_000_000n + nonce)
          .ustx(),
      ];
      const functionArgs = sampleArguments(i, recipient);
      made.push(await makeContractCall({ ...common, ...call, nonce, functionArgs, postConditions }));
    }
  }
  return made.map(tx => tx.serializeBytes());
}

/** Results, prints and asset ids as they come with events. */
export function sampleValues(): Uint8Array[] {
  const values = Array.from({ length: 40 }, (_, i) => sampleArguments(i, ADDRESSES[i % 3] as string)).flat();
  return values.map(value => serializeCVBytes(value));
}

function sampleArguments(i: number, address: string): ClarityValue[] {
  return [
    Cl.uint(1_000_000 + i),
    Cl.principal(address),
    Cl.some(Cl.bufferFromHex('00'.repeat(i % 34))),
    Cl.ok(Cl.bool(i % 2 === 0)),
    Cl.tuple({
      event: Cl.stringAscii('token-swap'),
      sender: Cl.contractPrincipal(address, 'vault'),
      'amount-in': Cl.uint(10n ** 15n + BigInt(i)),
      'amount-out': Cl.uint(i),
      memo: Cl.stringUtf8('swapped'),
      path: Cl.list([Cl.uint(1), Cl.uint(2), Cl.uint(3)]),
    }),
  ];
}
