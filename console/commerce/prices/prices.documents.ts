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
