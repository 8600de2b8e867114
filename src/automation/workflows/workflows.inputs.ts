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
  name,
  description,
  blob,
  active: z.boolean().nullish(),
});

export const updateWorkflowInput = z.object({
  name: unlessNull(name),
  description,
  blob,
  active: unlessNull(z.boolean()),
  /** The revision the caller last saw; a stale one changes nothing. */
  revision: unlessNull(z.int().min(1)),
  /** The version the caller last saw, which guards the name, description and switch as well. */
  version: unlessNull(z.int().min(1)),
  /** Stored with the new revision when the blob changes. */
  note: revisionNote,
});

export const restoreRevisionInput = z.object({
  revision: z.int(),
  note: revisionNote.describe('Why; kept with the new revision.'),
});
