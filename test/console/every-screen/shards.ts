import { places } from './registry.ts';

const automation = ['overview', 'runs', 'workflows', 'dead-letters'];
const commerce = ['orders', 'stock', 'prices', 'customers'];
const named = [...automation, ...commerce];

/** The places that each file walks, so that the files run side by side. A new place is in `rest`. */
export const shards = {
  automation,
  commerce,
  rest: places.map(({ place }) => place).filter((place) => !named.includes(place)),
};
