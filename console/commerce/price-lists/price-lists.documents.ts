import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const PriceListRow = graphql(`
  fragment PriceListRow on PriceList {
    id code name currency taxIncluded priority customer channel market validFrom validUntil
  }
`);

export const PriceLists = rows('priceLists', PriceListRow);

export const PriceListPage = graphql(
  `
  query PriceListPage($id: ID!) {
    priceList(id: $id) { ...PriceListRow createdAt updatedAt viewerCan { update delete } }
  }
`,
  [PriceListRow],
);

export const PricesOfList = graphql(`
  query PricesOfList($id: ID!, $first: Int, $after: String) {
    priceList(id: $id) {
      id
      prices(first: $first, after: $after) {
        edges { node { id sku quantityFrom amount currency validFrom validUntil updatedAt } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const CreatePriceList = mutation('createPriceList', 'priceList { id }');

export const UpdatePriceList = mutation('updatePriceList', 'priceList { ...PriceListRow }', [PriceListRow]);

export const DeletePriceList = mutation('deletePriceList', 'deletedId');

export const UpsertPrice = mutation('upsertPrice', 'price { id }');
