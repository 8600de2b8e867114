import { page } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const EnterableTenants = graphql(`
  query EnterableTenants {
    me { context { roles } tenants { slug name orgSlug } orgs { slug name } }
  }
`);

export const TenantFacts = graphql(`
  fragment TenantFacts on Tenant {
    id slug name createdAt
    org { id name }
  }
`);

export const TenantPage = page('node', TenantFacts);
