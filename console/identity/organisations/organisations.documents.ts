import { mutation, page } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const Organisations = graphql(`
  query Organisations {
    orgs { id slug name createdAt tenants { id } }
  }
`);

export const OrganisationFacts = graphql(`
  fragment OrganisationFacts on Org {
    id slug name createdAt
    tenants { id slug name createdAt }
    viewerCan { createTenant }
  }
`);

export const OrganisationPage = page('node', OrganisationFacts);

export const CreateOrganisation = mutation('createOrg', 'org { id }');

export const CreateTenant = mutation('createTenant', 'tenant { id }');
