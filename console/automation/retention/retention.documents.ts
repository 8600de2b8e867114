import { mutation } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const Retention = graphql(`
  query Retention {
    retention { runDays stepDays logDays auditDays updatedAt }
  }
`);

export const UpdateRetention = mutation('updateRetention', 'retention { runDays }');
