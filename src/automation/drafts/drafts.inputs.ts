import { z } from 'zod';
import { canvasSchema, nodeId, workflowEdgeSchema, workflowNodeSchema } from '#src/automation/blob/blob.inputs.ts';
import { refusingN8nExports } from '#src/automation/blob/n8n-export.inputs.ts';
import { isWithinDepth } from '#src/infra/json.ts';

const KiB = 1024;

/** Wider than those of a published blob, so that an edit that is too large for now can be saved and is told so. */
export const draftLimits = {
  bytes: 2 * KiB * KiB,
  nodes: 2_000,
  edges: 8_000,
  /** Levels of objects and arrays in the whole blob. */
  depth: 72,
  settings: 50,
  namespaces: 200,
  pins: 500,
  pinBytes: 512 * KiB,
} as const;

/** Bytes of a value as JSON text. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const isWithinBytes = (blob: unknown): boolean => jsonBytes(blob) <= draftLimits.bytes;

const tooLarge = `A draft is at most ${draftLimits.bytes} bytes of JSON; move a part into a workflow of its own.`;

/** Why a merged blob is too large for a draft: the next save could not contain it. Undefined for one that is not. */
export function findExcess(blob: Readonly<Record<string, unknown>>): string | undefined {
  for (const part of ['nodes', 'edges'] as const) {
    const { length } = blob[part] as unknown[];
    if (length > draftLimits[part]) return `It has ${length} ${part}, and a draft at most ${draftLimits[part]}.`;
  }
  return isWithinBytes(blob) ? undefined : tooLarge;
}

const member = z.string().max(128);

const members = (most: number) =>
  z.record(member, z.unknown()).refine((value) => Object.keys(value).length <= most, `At most ${most} members.`);

const hasUniqueIds = (nodes: { id: string }[]): boolean => new Set(nodes.map(({ id }) => id)).size === nodes.length;

/** Fills in what a publish fills in, so that a published node equals the node of the draft that it came from; leaves invalid ones as they are. */
const asPublished =
  (schema: z.ZodType) =>
  <Part>(part: Part): Part =>
    (schema.safeParse(part).data as Part | undefined) ?? part;

const source = z.union(
  [
    z.looseObject({ trigger: z.string().max(64) }),
    z.looseObject({ node: z.string().max(64), branch: z.string().optional() }),
  ],
  'An edge comes from {trigger} or from {node, branch}.',
);
const draftNode = z.looseObject({ id: nodeId });
const draftEdge = z.looseObject({ from: source, to: z.string().max(64) });

/** What a blob needs so that it can be merged by node and edge; anything else that is wrong with it is a problem of the draft. */
const draftBlob = z
  .object({
    version: z.literal('v1').default('v1'),
    nodes: z
      .array(draftNode.transform(asPublished(workflowNodeSchema)))
      .max(draftLimits.nodes)
      .refine(hasUniqueIds, 'Two nodes have the same id; a draft is merged by the ids of its nodes.')
      .default([]),
    edges: z
      .array(draftEdge.transform(asPublished(workflowEdgeSchema)))
      .max(draftLimits.edges)
      .default([]),
    settings: members(draftLimits.settings).optional(),
    state: z.object({ namespaces: members(draftLimits.namespaces).default({}) }).optional(),
    canvas: canvasSchema.optional(),
  })
  .refine(isWithinBytes, tooLarge);

const shallow = z.unknown().refine((value) => isWithinDepth(value, draftLimits.depth), {
  message: `A draft nests at most ${draftLimits.depth} levels.`,
  abort: true,
});

const nodePath = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}(\/[A-Za-z0-9_-]{1,64}){0,4}$/, 'A pin is named by a node’s path.');

/** Outputs by the path of their node; what they must be is checked when a test run takes them. */
export const pinsInput = z
  .record(nodePath, z.unknown())
  .refine((value) => Object.keys(value).length <= draftLimits.pins, `At most ${draftLimits.pins} pins.`)
  .refine((value) => isWithinDepth(value, draftLimits.depth), {
    message: `Pins nest at most ${draftLimits.depth} levels.`,
    abort: true,
  })
  .refine(
    (value) => jsonBytes(value) <= draftLimits.pinBytes,
    `At most ${draftLimits.pinBytes} bytes of pins as JSON.`,
  );

export const pinLimits = `${draftLimits.pins} and ${draftLimits.pinBytes / KiB} KiB`;

const version = z.int().min(0);

export const saveDraftInput = z.object({
  version: version.describe('The version of the draft that the edit began with; 0 if there was no draft.'),
  baseRevision: z
    .int()
    .min(1)
    .describe(
      'The revision whose changes the blob contains: `WorkflowDraft.baseRevision`, or `Workflow.revision` without a draft.',
    ),
  blob: shallow
    .pipe(refusingN8nExports(draftBlob))
    .describe(
      `The whole blob. It may be invalid, but its nodes need ids. At most ${draftLimits.bytes / KiB / KiB} MiB, ${draftLimits.nodes} nodes and ${draftLimits.edges} edges.`,
    ),
  pins: pinsInput
    .nullish()
    .describe(`Outputs by the path of their node (\`each/send\`), at most ${pinLimits}; left out: as they are.`),
});

export const publishDraftInput = z.object({
  version: z.int().min(1).describe('The version of the draft that is meant. A stale one answers a ConflictError.'),
  note: z.string().trim().max(500).nullish().describe('Why; kept with the revision.'),
});

export const discardDraftInput = publishDraftInput.pick({ version: true });
