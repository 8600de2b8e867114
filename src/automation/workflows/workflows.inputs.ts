import { z } from 'zod';
import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import { refusingN8nExports } from '#src/automation/blob/n8n-export.inputs.ts';

const name = z.string().trim().min(1).max(191);
const description = z.string().max(5_000).nullish();
/** Why a revision was made; shown in the history. */
const revisionNote = z.string().trim().max(500).nullish();

export const emptyBlob = { version: 'v1' as const, nodes: [], edges: [] };

/** Clients send `null` for a field that they leave out, even when it cannot be cleared. */
const unlessNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

const blob = unlessNull(refusingN8nExports(workflowBlobSchema));

export const createWorkflowInput = z.object({
  name: name.describe('1 to 191 characters.'),
  description: description.describe('At most 5,000 characters.'),
  blob: blob.describe('A workflow blob, as in `Workflow.blob`; left out, one without nodes.'),
  active: z.boolean().nullish().describe('Left out: true.'),
});

export const updateWorkflowInput = z.object({
  name: unlessNull(name).describe('1 to 191 characters; null leaves it as it is.'),
  description: description.describe('At most 5,000 characters; null empties it.'),
  blob: blob.describe('The whole blob; null leaves it as it is.'),
  active: unlessNull(z.boolean()).describe('Null leaves it as it is.'),
  revision: unlessNull(z.int().min(1)).describe('The revision you last saw. A stale one answers a ConflictError.'),
  version: unlessNull(z.int().min(1)).describe(
    'The same for the version, which guards every field and not the blob alone.',
  ),
  note: revisionNote.describe('Why; kept with the revision that a changed blob makes.'),
});

export const restoreRevisionInput = z.object({
  revision: z.int().describe('The number of the revision to restore.'),
  note: revisionNote.describe('Why; kept with the new revision.'),
});
