import { z } from 'zod';
import { namespacePattern } from '#src/automation/state/state.inputs.ts';
import { isWithinDepth } from '#src/infra/json.ts';

export const blobLimits = {
  /** In the whole blob, bodies of loops included. */
  nodes: 500,
  edges: 2000,
  /** Levels of nested `core:for-each` bodies. */
  nesting: 4,
  /** Levels of objects and arrays in a node's config, a loop's body included. */
  configDepth: 64,
  /** State namespaces that a workflow declares. */
  namespaces: 50,
  nodeTimeoutMs: 60 * 60 * 1000,
  runTimeoutMs: 30 * 24 * 60 * 60 * 1000,
} as const;

/** The action of a run after a node's last attempt has failed. */
export const onErrorPolicies = ['fail', 'continue', 'branch'] as const;

export const backoffKinds = ['fixed', 'exponential'] as const;

const identifier = (what: string) =>
  z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, `${what} is 1 to 64 letters, digits, dashes and underscores.`);

export const nodeId = identifier('A node id');

export const branchName = identifier('A branch');

const milliseconds = (max: number) => z.int().min(0).max(max);

export const retryPolicySchema = z
  .object({
    limit: z.int().min(0).max(100).describe('Attempts after the first one.'),
    delay_ms: milliseconds(blobLimits.nodeTimeoutMs).default(1000),
    backoff: z.enum(backoffKinds).default('exponential'),
    max_delay_ms: milliseconds(24 * 60 * 60 * 1000).default(5 * 60 * 1000),
  })
  .describe('When a failed attempt is tried again.');

const pointSchema = z.object({ x: z.number(), y: z.number() });

export const workflowNodeSchema = z.object({
  id: nodeId,
  node: z
    .string()
    .max(128)
    .regex(
      /^[a-z][a-z0-9]*(-[a-z0-9]+)*:[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
      'A node is named <namespace>:<name>, such as core:set.',
    ),
  version: z.string().min(1).max(64).describe('Semantic version, a range of them, or `latest`; resolved at build.'),
  config: z
    .record(z.string().max(128), z.unknown())
    .refine((config) => isWithinDepth(config, blobLimits.configDepth), {
      message: `A config nests at most ${blobLimits.configDepth} levels.`,
    })
    .default({})
    .describe('Strings may hold {{ expressions }}. The config of core:for-each holds `body: {nodes, edges}`.'),
  position: pointSchema.optional().describe('Where an editor draws the node.'),
  retry: retryPolicySchema.optional(),
  timeout_ms: z.int().min(1).max(blobLimits.nodeTimeoutMs).optional().describe('For one attempt.'),
  on_error: z
    .enum(onErrorPolicies)
    .default('fail')
    .describe('Once the attempts are spent: fail the run, go on along `default`, or go on along `error`.'),
});

export const workflowEdgeSchema = z.object({
  from: z.union(
    [
      z.object({ trigger: identifier('A trigger handle') }),
      z.object({ node: nodeId, branch: branchName.default('default') }),
    ],
    'An edge comes from {trigger} or from {node, branch}.',
  ),
  to: nodeId,
});

export const workflowGraphSchema = z.object({
  nodes: z.array(workflowNodeSchema).max(blobLimits.nodes).default([]),
  edges: z.array(workflowEdgeSchema).max(blobLimits.edges).default([]),
});

/** What an editor draws beside nodes; it has no effect on runs. */
export const canvasSchema = z
  .object({
    notes: z
      .array(
        pointSchema.extend({
          id: nodeId,
          text: z.string().max(5000),
          width: z.number().min(1),
          height: z.number().min(1),
        }),
      )
      .max(100)
      .optional(),
    triggers: z.record(identifier('A trigger handle'), pointSchema).optional().describe('Places, by handle.'),
  })
  .describe('Notes and the places of triggers, for an editor.');

export const workflowBlobSchema = workflowGraphSchema.extend({
  version: z.literal('v1'),
  state: z
    .object({
      namespaces: z
        .record(
          z.string().regex(namespacePattern, 'A namespace is 1 to 64 letters, digits, _ . and -.'),
          z.enum(['read', 'read_write']),
        )
        .refine((namespaces) => Object.keys(namespaces).length <= blobLimits.namespaces, {
          message: `At most ${blobLimits.namespaces} namespaces.`,
        })
        .default({}),
    })
    .optional(),
  settings: z
    .object({
      concurrency: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe('Runs of this workflow at a time; unlimited when absent.'),
      timeout_ms: z.int().min(1).max(blobLimits.runTimeoutMs).optional().describe('For a whole run.'),
      error_workflow_id: z.int().min(1).optional().describe('Workflow started when a run of this one fails.'),
      retention_days: z.int().min(1).max(3650).optional(),
    })
    .optional(),
  canvas: canvasSchema.optional(),
});

export type RetryPolicy = z.infer<typeof retryPolicySchema>;
export type WorkflowNode = z.infer<typeof workflowNodeSchema>;
export type WorkflowEdge = z.infer<typeof workflowEdgeSchema>;
export type WorkflowGraph = z.infer<typeof workflowGraphSchema>;
export type WorkflowBlob = z.infer<typeof workflowBlobSchema>;
