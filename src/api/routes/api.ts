import type { Database } from '../../base/store/database.ts';
import { networkOf } from '../../ingest/chain/network.ts';
import { type PoxCycles, poxCyclesOf } from '../../ingest/chain/pox-cycles.ts';
import { createNodeRpc, DEFAULT_RPC_LIMITS, type NodeRpc } from '../../ingest/node/rpc.ts';
import { type MetadataSource, withoutPipeline } from '../../metadata/source.ts';
import { addExplorer } from '../explorer/explorer.ts';
import type { FaucetSettings } from '../faucet/settings.ts';
import { LongReads } from '../http/long-reads.ts';
import { addDocumentation } from '../http/openapi/openapi.ts';
import { type Api, createServer, DEFAULT_LIMITS, type ServerOptions } from '../http/server.ts';
import type { StatusSource } from '../http/status.ts';
import { addProbes } from '../http/status.ts';
import type { ChangeSource } from '../live/feed.ts';
import type { LiveLimits } from '../live/limits.ts';
import { Streams } from '../live/streams.ts';
import type { NodeProxySettings } from '../node-proxy/settings.ts';
import { newestTenures } from '../records/blocks/fullness.ts';
import { accountNonces } from '../records/mempool/nonces.ts';
import type { MempoolSource } from '../records/mempool/queries.ts';
import type { NameVersions } from '../records/names/owned-names.ts';
import type { ApiContext } from './context.ts';
import { addAccountAssetsRoute } from './extended/v1/address/principal/assets.ts';
import { addBalancesRoute } from './extended/v1/address/principal/balances.ts';
import { addAddressMempoolRoutes } from './extended/v1/address/principal/mempool.ts';
import { addNonceRoutes } from './extended/v1/address/principal/nonces.ts';
import { addStxBalanceRoute } from './extended/v1/address/principal/stx.ts';
import { addAccountInboundRoute } from './extended/v1/address/principal/stx_inbound.ts';
import { addAccountTransactionsRoute } from './extended/v1/address/principal/transactions.ts';
import { addAccountTransfersRoute } from './extended/v1/address/principal/transactions_with_transfers.ts';
import { addTransactionWithTransfersRoute } from './extended/v1/address/principal/tx_id.ts';
import { addBlockV1Routes } from './extended/v1/block.ts';
import { addBurnchainRoutes } from './extended/v1/burnchain.ts';
import { addContractRoutes } from './extended/v1/contract.ts';
import { addFaucetRoutes } from './extended/v1/faucets.ts';
import { addFeeRateRoute } from './extended/v1/fee_rate.ts';
import { addInfoRoutes } from './extended/v1/info.ts';
import { addMicroblockRoutes } from './extended/v1/microblock.ts';
import { addPoxV1Routes } from './extended/v1/pox.ts';
import { addSearchRoutes } from './extended/v1/search.ts';
import { addStxSupplyRoutes } from './extended/v1/stx_supply.ts';
import { addFungibleTokenRoutes } from './extended/v1/tokens/ft.ts';
import { addNftRoutes } from './extended/v1/tokens/nft.ts';
import { addTokenRoutes } from './extended/v1/tokens.ts';
import { addEventRoute } from './extended/v1/tx/events.ts';
import { addMempoolTransactionRoutes } from './extended/v1/tx/mempool.ts';
import { addTransactionsByIdsRoute } from './extended/v1/tx/multiple.ts';
import { addTransactionByIdRoutes } from './extended/v1/tx/tx_id.ts';
import { addTransactionV1Routes } from './extended/v1/tx.ts';
import { addPrincipalBalanceRoutes } from './extended/v2/addresses/principal/balances.ts';
import { addAddressRoutes } from './extended/v2/addresses.ts';
import { addBlockTenureRoutes } from './extended/v2/block-tenures.ts';
import { addBlockRoutes } from './extended/v2/blocks.ts';
import { addBurnBlockRoutes } from './extended/v2/burn-blocks.ts';
import { addMempoolRoutes } from './extended/v2/mempool.ts';
import { addPoxRoutes } from './extended/v2/pox.ts';
import { addSmartContractRoutes } from './extended/v2/smart-contracts.ts';
import { addBlockV3Routes } from './extended/v3/blocks.ts';
import { addForkRoutes } from './extended/v3/forks.ts';
import { addMempoolV3Routes } from './extended/v3/mempool.ts';
import { addNameV3Routes } from './extended/v3/names.ts';
import { addBalanceChangeRoute } from './extended/v3/principals/principal/balance-changes.ts';
import { addPrincipalBalanceV3Routes } from './extended/v3/principals/principal/balances.ts';
import { addPrincipalMempoolRoute } from './extended/v3/principals/principal/mempool.ts';
import { addPrincipalNoncesRoute } from './extended/v3/principals/principal/nonces.ts';
import { addPrincipalStakingRoutes } from './extended/v3/principals/principal/staking.ts';
import { addPrincipalTransactionRoutes } from './extended/v3/principals/principal/transactions.ts';
import { addPrincipalTransferRoutes } from './extended/v3/principals/principal/transfers.ts';
import { addSearchV3Routes } from './extended/v3/search.ts';
import { addSmartContractV3Routes } from './extended/v3/smart-contracts.ts';
import { addBondMemberRoutes } from './extended/v3/staking/bonds/bond_index.ts';
import { addBondRoutes } from './extended/v3/staking/bonds.ts';
import { addStakingSignerRoutes } from './extended/v3/staking/signers.ts';
import { addStakingRoutes } from './extended/v3/staking.ts';
import { addServerStatusRoute } from './extended/v3/status.ts';
import { addStreamRoutes } from './extended/v3/stream.ts';
import { addFtRoutes } from './extended/v3/tokens/ft.ts';
import { addNftV3Routes } from './extended/v3/tokens/nft.ts';
import { addStxRoutes } from './extended/v3/tokens/stx.ts';
import { addTransactionByIdV3Routes } from './extended/v3/transactions/tx_id.ts';
import { addTransactionV3Routes } from './extended/v3/transactions.ts';
import { addStatusRoutes } from './extended.ts';
import { addMetadataRoutes } from './metadata.ts';
import { addImageRoutes } from './metadata-images.ts';
import { overview } from './overview.ts';
import { addOwnedNameRoutes } from './v1/addresses.ts';
import { addNameRoutes } from './v1/names.ts';
import { addNamespaceRoutes } from './v1/namespaces.ts';
import { addPriceRoutes } from './v2/prices.ts';
import { addNodeRoutes, type NodeContext } from './v2.ts';

export interface ApiParts extends ServerOptions {
  readonly db: Database;
  readonly mempool: MempoolSource;
  /** Without it, only what METADATA_TABLES of `db` have is served, and nothing is fetched. */
  readonly metadata?: MetadataSource;
  readonly status: StatusSource;
  readonly chainId: number;
  /** Both versions of BNS, unless given. */
  readonly names?: NameVersions;
  /** Those of mainnet on mainnet, and elsewhere not known, unless given. */
  readonly poxCycles?: PoxCycles | undefined;
  /** Without it, requests to `/v2` and `/v3` get a 503. */
  readonly node?: NodeProxySettings | undefined;
  /** Asked for prices of names; the node of `node`, unless given. */
  readonly rpc?: NodeRpc;
  /** What gives coins of a testnet away; without it, every request to a faucet gets a 403. */
  readonly faucet?: FaucetSettings | undefined;
  /** Pages for people at `/explorer`; true unless given. */
  readonly explorer?: boolean;
  /** Tells when the index shows another state; without it, nobody is told of anything new. */
  readonly changes?: ChangeSource;
  readonly liveLimits?: Partial<LiveLimits>;
  /** The node has taken a transaction into its mempool. Without it, the index hears of that by the events of the node alone. */
  readonly onTaken?: NodeContext['onTaken'];
}

/** The whole API. */
export function createApi(parts: ApiParts): Api {
  const { db, tip, mempool, metadata = withoutPipeline(db), status, chainId, version, names = 'v1+v2' } = parts;
  const server = createServer(parts);
  const longReads = new LongReads(db, { ...DEFAULT_LIMITS, ...parts.limits });
  const network = networkOf(chainId);
  const poxCycles = parts.poxCycles ?? poxCyclesOf(network);
  const context: ApiContext = { db, longReads, tip, mempool, metadata, network, names, poxCycles };
  const streams = new Streams({
    db,
    tip,
    version,
    chainId,
    changes: parts.changes ?? NO_CHANGES,
    limits: parts.liveLimits ?? {},
    onFailure: error => server.log.warn({ err: error }, 'live updates wait: the index cannot be read'),
  });
  server.decorate('live', streams);
  server.addHook('preClose', () => streams.close());
  const onTaken = parts.onTaken ?? (async () => {});
  const nextNonce = (address: string) =>
    db.read(async queries => (await accountNonces(queries, address)).possible_next_nonce);
  addProbes(server, status);
  addDocumentation(server, overview(version));
  const hasExplorer = parts.explorer ?? true;
  if (hasExplorer) addExplorer(server, { version, network, imagesUrl: metadata.imagesUrl });
  // A plugin, as the documentation has only the routes of plugins that come after its own.
  server.register(async (api: Api) => {
    // /extended
    addStatusRoutes(api, version, tip, status, hasExplorer);
    // /extended/v3
    addBlockV3Routes(api, context);
    addTransactionV3Routes(api, context);
    addStreamRoutes(api, context, streams);
    addTransactionByIdV3Routes(api, context);
    addMempoolV3Routes(api, context);
    addPrincipalTransactionRoutes(api, context);
    addPrincipalTransferRoutes(api, context);
    addBalanceChangeRoute(api, context);
    addPrincipalBalanceV3Routes(api, context);
    addPrincipalNoncesRoute(api, context);
    addPrincipalMempoolRoute(api, context);
    addStxRoutes(api, context);
    addFtRoutes(api, context);
    addNftV3Routes(api, context);
    addSmartContractV3Routes(api, context);
    addSearchV3Routes(api, context);
    addNameV3Routes(api, context);
    addForkRoutes(api, context);
    addServerStatusRoute(api, { db, status, streams, chainId, version });
    addStakingRoutes(api, context);
    addBondRoutes(api, context);
    addBondMemberRoutes(api, context);
    addStakingSignerRoutes(api, context);
    addPrincipalStakingRoutes(api, context);
    // /extended/v2
    addBlockRoutes(api, context);
    addBurnBlockRoutes(api, context);
    addBlockTenureRoutes(api, context);
    addAddressRoutes(api, context);
    addMempoolRoutes(api, context);
    addSmartContractRoutes(api, context);
    addPoxRoutes(api, context);
    // /extended/v1
    addBlockV1Routes(api, context);
    addTransactionV1Routes(api, context);
    addMempoolTransactionRoutes(api, context);
    addEventRoute(api, context);
    addTransactionsByIdsRoute(api, context);
    addTransactionByIdRoutes(api, context);
    addNonceRoutes(api, context);
    addAddressMempoolRoutes(api, context);
    addAccountTransactionsRoute(api, context);
    addAccountTransfersRoute(api, context);
    addTransactionWithTransfersRoute(api, context);
    addAccountAssetsRoute(api, context);
    addAccountInboundRoute(api, context);
    addMicroblockRoutes(api, context);
    addContractRoutes(api, context);
    addTokenRoutes(api, context);
    addPoxV1Routes(api, context);
    addBurnchainRoutes(api, context);
    addInfoRoutes(api);
    addFeeRateRoute(api);
    addStxSupplyRoutes(api, context);
    addSearchRoutes(api, context);
    addStxBalanceRoute(api, context);
    addBalancesRoute(api, context);
    addPrincipalBalanceRoutes(api, context);
    addFungibleTokenRoutes(api, context);
    addNftRoutes(api, context);
    addFaucetRoutes(api, parts.faucet && { settings: parts.faucet, nextNonce, onTaken });
    // /v1
    addOwnedNameRoutes(api, context);
    addNameRoutes(api, context);
    addNamespaceRoutes(api, context);
    // /v2, /v3
    addPriceRoutes(api, parts.rpc ?? (parts.node && rpcOf(parts.node)), context.network);
    addNodeRoutes(api, parts.node, {
      tip,
      onTaken,
      tenures: complete => db.read(queries => newestTenures(queries, complete)),
    });
    // /metadata
    addMetadataRoutes(api, context, version);
    addImageRoutes(api, metadata.images);
  });
  return server;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly live: Streams;
  }
}

const NO_CHANGES: ChangeSource = { onChange: () => () => {} };

const rpcOf = ({ node, timeoutMs }: NodeProxySettings): NodeRpc =>
  createNodeRpc({ ...DEFAULT_RPC_LIMITS, base: node, timeoutMs });
