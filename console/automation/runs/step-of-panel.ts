import type { ResultOf } from '#console/graph/graphql.ts';
import type { StepDetail } from './steps.documents.ts';

type Node = NonNullable<ResultOf<typeof StepDetail>['node']>;
export type StepOfPanel = Extract<Node, { nodeId: string }>;

/** The step that a query read; undefined where there is none. */
export const stepOf = (data: ResultOf<typeof StepDetail> | undefined): StepOfPanel | undefined =>
  data?.node && 'nodeId' in data.node ? data.node : undefined;
