import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const CreateContact = mutation('createContact', 'contact { id }');

export const UpsertCostCentre = mutation('upsertCostCentre', 'costCentre { id }');

export const OrganizationMetricsRow = graphql(`
  fragment OrganizationMetricsRow on OrganizationMetrics {
    id customerNumber currency revenue30d revenue90d revenue365d orders30d orders90d orders365d lastOrderAt
    organization { id name }
  }
`);

export const CustomerFigures = rows('organizationMetrics', OrganizationMetricsRow);
