import { mutation } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const CommerceSettings = graphql(`
  query CommerceSettings {
    commerceSettings { priceStrategy taxRounding creditWorkflow { id name } creditFallback creditTimeoutMs }
  }
`);

export const UpdateCommerceSettings = mutation('updateCommerceSettings', 'commerceSettings { priceStrategy }');
