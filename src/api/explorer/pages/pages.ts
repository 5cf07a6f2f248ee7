import type { PageRenderer } from '../page.ts';
import type { PagePath } from '../paths.ts';
import { addressCsvPage, addressPage } from './address.ts';
import { blockPage } from './block.ts';
import { blocksPage } from './blocks.ts';
import { burnBlockPage } from './burn-block.ts';
import { contractCallsPage, contractEventsPage, contractPage, contractSourcePage } from './contract.ts';
import { contractCallPage } from './contract-call.ts';
import { forkPage, forksPage } from './forks.ts';
import { homePage } from './home.ts';
import { mempoolPage } from './mempool.ts';
import { namePage, namesPage } from './names.ts';
import { nftPage } from './nft.ts';
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
  '/btc/:block': burnBlockPage,
  '/forks': forksPage,
  '/fork/:block': forkPage,
  '/tx/:id': transactionPage,
  '/address/:principal': addressPage,
  '/address/:principal/history.csv': addressCsvPage,
  '/contract/:id': contractPage,
  '/contract/:id/source': contractSourcePage,
  '/contract/:id/call/:function': contractCallPage,
  '/contract/:id/calls': contractCallsPage,
  '/contract/:id/events': contractEventsPage,
  '/tokens': tokensPage,
  '/token/:asset': tokenPage,
  '/token/:asset/transfers': tokenTransfersPage,
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
  '/status': statusPage,
};
