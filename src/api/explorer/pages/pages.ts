import type { PageRenderer } from '../page.ts';
import type { PagePath } from '../paths.ts';
import { addressPage } from './address.ts';
import { bitcoinAddressPage } from './bitcoin-address.ts';
import { blockPage } from './block.ts';
import { blocksPage } from './blocks.ts';
import { burnBlockPage, burnBlocksPage } from './burn-block.ts';
import {
  contractAccountPage,
  contractCallsPage,
  contractEventsPage,
  contractPage,
  contractSourcePage,
} from './contract.ts';
import { contractCallPage } from './contract-call.ts';
import { forkPage, forksPage } from './forks.ts';
import { functionPage } from './function.ts';
import { galleryPage } from './gallery.ts';
import { helpPage } from './help.ts';
import { homePage } from './home.ts';
import { mempoolPage } from './mempool.ts';
import { namePage, namesPage } from './names.ts';
import { collectionsPage, nftPage } from './nft.ts';
import { searchPage } from './search.ts';
import { cyclePage, signerPage, stackingPage } from './stacking.ts';
import { bondPage, managerPage } from './staking.ts';
import { statusPage } from './status.ts';
import { tokenPage, tokensPage, tokenTransfersPage } from './token.ts';
import { transactionPage } from './transaction.ts';

export const PAGES: Readonly<Record<PagePath, PageRenderer>> = {
  '': homePage,
  '/blocks': blocksPage,
  '/block/:block': blockPage,
  '/btc': burnBlocksPage,
  '/btc/:block': burnBlockPage,
  '/bitcoin/:address': bitcoinAddressPage,
  '/forks': forksPage,
  '/fork/:block': forkPage,
  '/tx/:id': transactionPage,
  '/address/:principal': addressPage,
  '/contract/:id': contractPage,
  '/contract/:id/source': contractSourcePage,
  '/contract/:id/call/:function': contractCallPage,
  '/contract/:id/calls': contractCallsPage,
  '/contract/:id/events': contractEventsPage,
  '/contract/:id/account': contractAccountPage,
  '/function/:function': functionPage,
  '/tokens': tokensPage,
  '/token/:asset': tokenPage,
  '/token/:asset/transfers': tokenTransfersPage,
  '/nfts': collectionsPage,
  '/nft/:asset': nftPage,
  '/names': namesPage,
  '/name/:name': namePage,
  '/stacking': stackingPage,
  '/stacking/bond/:bond': bondPage,
  '/stacking/manager/:principal': managerPage,
  '/stacking/:cycle': cyclePage,
  '/stacking/:cycle/:key': signerPage,
  '/mempool': mempoolPage,
  '/search': searchPage,
  '/help': helpPage,
  '/status': statusPage,
  '/gallery': galleryPage,
};
