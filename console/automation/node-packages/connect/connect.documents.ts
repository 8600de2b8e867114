import { mutation } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const Publishers = graphql(`
  query Publishers {
    me { orgs { slug name } context { tenantId } }
  }
`);

export const CreateUpload = mutation('createUpload', 'upload { id } target { url method headers }');

export const DescribeApi = mutation(
  'describeApi',
  `api {
    kind title version namespace servers operationCount credentialTypes { slug name } tags { name count }
    operations { name method path title tags isDeprecated reason } skipped { operation reason }
  }`,
);

export const CompareApi = mutation(
  'compareApi',
  `comparison {
    isOtherApi before { title version } changeCount breakingCount changes { kind slug path isBreaking detail }
    workflowCount broken { tenantId workflowId workflowName kind slug node path reads }
  }`,
);

export const CreateNodePackage = mutation(
  'createNodePackage',
  `created warning skipped { operation reason }
  nodePackage { name version nodes { slug version name } credentialTypes { slug name } }`,
);
