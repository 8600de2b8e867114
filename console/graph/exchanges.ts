import { cacheExchange } from '@urql/exchange-graphcache';
import type { Exchange } from 'urql';
import { possibleTypes } from '#console/generated/possible-types.ts';
import { forgetMutations } from './forget-mutations.ts';
import { keepData } from './keep-data.ts';

/** The exchanges of a client with a cache, in their order; the last of them sends. */
export const cachedExchanges = (transport: Exchange): Exchange[] => [
  keepData(),
  forgetMutations(),
  cacheExchange({ possibleTypes }),
  transport,
];
