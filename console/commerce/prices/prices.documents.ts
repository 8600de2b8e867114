import { graphql } from '#console/graph/graphql.ts';

export const ExplainPrice = graphql(`
  query ExplainPrice($items: [PricedItem!]!, $sku: String!, $currency: String!, $customer: String, $channel: String, $market: String, $at: DateTime) {
    commerceSettings { priceStrategy }
    resolvePrices(items: $items, currency: $currency, customer: $customer, channel: $channel, market: $market, at: $at) {
      amount taxIncluded list
      tier { quantityFrom }
      nextTier { quantityFrom amount }
      trace {
        list reason
        priceList { id name currency customer channel market priority taxIncluded validFrom validUntil }
      }
    }
    prices(sku: $sku, first: 100) {
      edges { node { id list quantityFrom amount currency validFrom validUntil } }
    }
  }
`);

export const FindArticles = graphql(`
  query FindArticles($filter: ProductFilter) {
    products(first: 20, filter: $filter) { edges { node { id sku name } } }
  }
`);

export const FindCustomers = graphql(`
  query FindCustomers($filter: OrganizationFilter) {
    organizations(first: 20, filter: $filter) { edges { node { id customerNumber name } } }
  }
`);
