import { route } from '#rest/route.ts';

export const pricesTag = { name: 'Prices', description: 'Price lists, and the price of an article for a buyer.' };

export const priceRoutes = [
  route({
    method: 'GET',
    path: '/prices/lists',
    name: 'listPriceLists',
    tag: pricesTag,
    summary: 'The price lists of the tenant.',
    document: `query ($orderBy: PriceListOrder, $first: Int, $offset: Int) {
      priceLists(orderBy: $orderBy, first: $first, offset: $offset) { totalCount edges { node { ...PriceList } } }
    } fragment PriceList on PriceList {
      id: databaseId code name currency tax_included: taxIncluded customer channel market priority valid_from: validFrom
      valid_until: validUntil created_at: createdAt updated_at: updatedAt
    }`,
    list: { order: { fields: ['code', 'created_at', 'updated_at'], byDefault: 'code.asc' } },
  }),
];
