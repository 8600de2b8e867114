import { rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const CostCentreRow = graphql(`
  fragment CostCentreRow on CostCentre {
    id code name budget updatedAt
    organization { id name }
  }
`);

export const CostCentres = rows('costCentres', CostCentreRow);
