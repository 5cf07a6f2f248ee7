import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cl, type ClarityValue } from '@stacks/transactions';
import { onSqliteAtLeast } from '../../support/engines.ts';
import { databaseWithTables } from '../../support/reused-database.ts';
import { scale } from '../../support/scale.ts';
import { openTestIndex, type TestIndex } from '../../support/test-index.ts';
import { ACCOUNTS, ADMIN, ANN, BOB, CAI, DEE, DEPLOYER, EVE, MANAGERS, POX5, SBTC } from './cast.ts';
import { type Placed, SimulatedChain } from './chain.ts';
import { call, type Operation } from './operations.ts';
import { contract, FIRST, grant, publicKey, register, SECOND, setUpBond, stake } from './todays-chain.ts';
import { amountOf, type ClarityVm } from './vm.ts';

const skip = scale === 'short' && 'npm run test:all runs the Clarity VM';
const FUNDS = new Map(ACCOUNTS.map(account => [account, { stx: 2_000_000_000_000, sats: 9_000_000 }]));
const BOND = Cl.uint(1);

/** What the contract owes the stakers of a manager, claimed or not: of the bond, or of STX that are staked alone in a cycle. */
const earned = (vm: ClarityVm, manager: ClarityValue, isBond: boolean, index: ClarityValue): bigint =>
  BigInt(amountOf(vm.read(POX5, 'get-earned', [manager, Cl.bool(isBond), index])));

/** Satoshis come to the contract, and are distributed. */
const distribute = (sats: number, ...bonds: ClarityValue[]): Operation[] => [
  call(EVE, SBTC, 'transfer', Cl.uint(sats), Cl.principal(EVE), Cl.principal(POX5), Cl.none()),
  call(EVE, POX5, 'calculate-rewards', Cl.list(bonds)),
];

/** Satoshis that a staker has accrued: in bonds, and by what is staked alone. */
async function accruedBy(index: TestIndex, staker: string): Promise<{ bonds: bigint; alone: bigint }> {
  const { body } = await index.get(`/extended/v3/principals/${staker}/staking`);
  return { bonds: BigInt(body.bonds.rewards.btc.accrued), alone: BigInt(body.stx.rewards.btc.accrued) };
}

onSqliteAtLeast((_engine, openFresh) => {
  test('rewards are those that the contract owes: exactly where a manager has one staker, else short of fractions alone', {
    skip,
  }, async t => {
    const chain = new SimulatedChain(FUNDS, ADMIN, MANAGERS);
    const before = await chain.vmAt(undefined);
    const grants = [await grant(before, FIRST, 7), await grant(before, SECOND, 8)];
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    let sent = 0;
    const follow = async (at: Placed): Promise<ClarityVm> => {
      await index.deliver(...chain.deliveries.slice(sent));
      sent = chain.deliveries.length;
      return chain.vmAt(at);
    };
    let burn = chain.burn();
    const until = (height: number) => {
      while (burn.height < height) burn = chain.burn(burn);
      return burn;
    };
    const source = contract('signer-manager.clar');
    let top = await chain.block(
      [
        ...['first', 'second'].map((name): Operation => ({ kind: 'deploy', from: DEPLOYER, contract: name, source })),
        ...grants,
        call(DEPLOYER, MANAGERS[0], 'register', FIRST, publicKey(7)),
        call(DEPLOYER, MANAGERS[1], 'register', SECOND, publicKey(8)),
      ],
      { elected: burn },
    );
    top = await chain.block(
      [
        stake(ANN, FIRST, 60_001, 3, 101),
        stake(BOB, SECOND, 150_007, 2, 101),
        setUpBond(7_333),
        register(DEE, FIRST, 70_000, 4_001),
        register(CAI, SECOND, 80_000, 9_007),
      ],
      { elected: until(101) },
    );

    // Cycle 11: two distributions, for STX alone.
    for (const [height, sats] of [
      [116, 1_000_003],
      [121, 777_777],
    ] as const) {
      top = await chain.block(distribute(sats), { elected: until(height) });
      const vm = await follow(top);
      assert.equal((await accruedBy(index, ANN)).alone, earned(vm, FIRST, false, Cl.uint(11)), `Ann at ${height}`);
      assert.equal((await accruedBy(index, BOB)).alone, earned(vm, SECOND, false, Cl.uint(11)), `Bob at ${height}`);
      assert.ok((await accruedBy(index, ANN)).alone > 0n);
    }

    // The bond: before and after sats leave it, then with both stakers at one manager.
    const whileActive = async (height: number, sats: number, does: readonly Operation[]) => {
      top = await chain.block([...distribute(sats, BOND), ...does], { elected: until(height) });
      const vm = await follow(top);
      const [dee, cai] = [(await accruedBy(index, DEE)).bonds, (await accruedBy(index, CAI)).bonds];
      return { dee, cai, first: earned(vm, FIRST, true, BOND), second: earned(vm, SECOND, true, BOND) };
    };
    for (const [height, sats, does] of [
      [126, 50_021, [call(DEE, POX5, 'unstake-sbtc', FIRST, Cl.uint(1_502))]],
      [131, 61_013, [call(CAI, POX5, 'unstake-sbtc', SECOND, Cl.uint(7))]],
    ] as const) {
      const { dee, cai, first, second } = await whileActive(height, sats, does);
      assert.deepEqual([dee, cai], [first, second], `at ${height}`);
      assert.ok(dee > 0n && cai > dee);
    }
    const move = call(DEE, POX5, 'update-bond-registration', SECOND, FIRST, Cl.none());
    await whileActive(136, 70_001, [move]);
    const { dee, cai, first, second } = await whileActive(141, 80_009, []);
    const short = first + second - dee - cai;
    assert.ok(short >= 0n && short < 3n, `short of ${short} satoshis`);
  });
});
