export const EXPLORER_PATH = '/explorer';

/** The paths of all pages below it. */
export const PAGE_PATHS = [
  '',
  '/blocks',
  '/block/:block',
  '/btc/:block',
  '/forks',
  '/fork/:block',
  '/tx/:id',
  '/address/:principal',
  '/address/:principal/history.csv',
  '/contract/:id',
  '/contract/:id/source',
  '/contract/:id/call/:function',
  '/contract/:id/calls',
  '/contract/:id/events',
  '/tokens',
  '/token/:asset',
  '/token/:asset/transfers',
  '/nft/:asset',
  '/names',
  '/name/:name',
  '/stacking',
  '/stacking/bond/:bond',
  '/stacking/manager/:principal',
  '/stacking/:cycle',
  '/stacking/:cycle/:key',
  '/mempool',
  '/search',
  '/status',
] as const;

export type PagePath = (typeof PAGE_PATHS)[number];
