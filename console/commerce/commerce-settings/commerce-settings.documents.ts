import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const CommerceSettings = graphql(`
  query CommerceSettings {
    commerceSettings {
      priceStrategy
      taxRounding
      creditWorkflow {
        id
        name
      }
      creditFallback
      creditTimeoutMs
    }
  }
`);

export const UpdateCommerceSettings = graphql(
  `
    mutation UpdateCommerceSettings($input: UpdateCommerceSettingsInput!) {
      updateCommerceSettings(input: $input) {
        ... on UpdateCommerceSettingsPayload {
          commerceSettings {
            priceStrategy
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
