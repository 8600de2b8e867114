import type { NodeManifest } from '#src/automation/node-api/manifest.ts';

export const apiChangeKinds = [
  'operation_added',
  'operation_removed',
  'operation_moved',
  'field_added',
  'field_removed',
  'field_required',
  'field_narrowed',
  'field_changed',
  'field_moved',
  'answer_added',
  'answer_removed',
  'answer_changed',
  'branch_added',
  'branch_removed',
] as const;

export type ApiChangeKind = (typeof apiChangeKinds)[number];

/** A difference between the nodes of two descriptions of an API. */
export interface ApiChange {
  kind: ApiChangeKind;
  /** The node: `erp:post-orders`. */
  slug: string;
  /**
   * The place: `config.body.lines.*.sku`, `outputs.body.id` or the name of a branch; null for the operation as a whole.
   */
  path: string | null;
  /** True if a workflow that uses the place breaks. */
  isBreaking: boolean;
  /** What changed, in a few words; may be empty. */
  detail: string;
}

/** The parts of a node's manifest that are compared. */
export type ComparedNode = Pick<NodeManifest, 'slug' | 'config' | 'branches' | 'output_schemas' | 'call'>;
