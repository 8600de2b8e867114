import { z } from 'zod';

// The resources as the contract lists their fields: no field more, none less, and of these types.

const id = z.int();
const at = z.iso.datetime();
const json = z.unknown().refine((value) => value !== undefined, 'must be there');
const object = z.record(z.string(), z.unknown());
const uuid = z.guid();
const runStatus = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']);
const triggerType = z.enum(['manual', 'schedule', 'webhook', 'event']);

export const data = (row: z.ZodType) => z.strictObject({ data: z.array(row).min(1) });
export const page = (row: z.ZodType) =>
  z.strictObject({
    data: z.array(row).min(1),
    meta: z.strictObject({ current_page: z.int(), per_page: z.int(), total: z.int(), last_page: z.int() }),
  });
export const feed = (row: z.ZodType) =>
  z.strictObject({
    data: z.array(row).min(1),
    meta: z.strictObject({ current_page: z.int(), per_page: z.int(), has_more: z.boolean() }),
  });
export const cursorPage = (row: z.ZodType) =>
  z.strictObject({
    data: z.array(row).min(1),
    meta: z.strictObject({ per_page: z.int(), next_cursor: z.string().nullable(), prev_cursor: z.string().nullable() }),
  });

export const auditEntry = z.strictObject({
  id,
  org_id: z.string(),
  tenant_id: z.string(),
  actor_sub: z.string().nullable(),
  via_system: z.boolean(),
  channel: z.string(),
  action: z.enum(['create', 'update', 'delete', 'run.started', 'run.finished', 'run.failed']),
  resource_type: z.string(),
  resource_id: z.string(),
  metadata: object.nullable(),
  created_at: at,
});

export const me = z.strictObject({
  user: z.strictObject({ id, idp_id: z.string(), email: z.string(), name: z.string().nullable() }),
  context: z.strictObject({ tenant_id: z.string().nullable(), active_plane: z.string(), roles: z.array(z.string()) }),
  claims: z.strictObject({ iss: z.string(), sub: z.string(), aud: z.array(z.string()) }),
});

const image = z.strictObject({
  src: z.url(),
  alt: z.record(z.string(), z.string()),
  title: z.record(z.string(), z.string()),
  category: z.string().nullable(),
});

export const credentialType = z.strictObject({
  slug: z.string().regex(/^[a-z0-9-]+:[a-z0-9-]+$/),
  version: z.string(),
  name: z.string(),
  description: z.string(),
  icon: z.string().nullable(),
  images: z.array(image),
  auth_kind: z.enum(['secret', 'oauth2', 'session']),
  fields: z.array(object).min(1),
});

/** `extra` fields are those completions.md does not forbid: they say when a credential ends. */
export const credential = z.strictObject({
  id,
  tenant_id: z.string(),
  credential_type_slug: z.string(),
  name: z.string(),
  status: z.enum(['active', 'pending', 'expired', 'revoked']),
  public_config: object,
  expires_at: at.nullable().optional(),
  last_test_at: at.nullable(),
  last_test_ok: z.boolean().nullable(),
  last_test_message: z.string().max(500).nullable(),
  created_at: at,
  updated_at: at,
});

export const testOutcome = z.strictObject({ ok: z.boolean(), message: z.string().max(500).nullable() });
export const savedTestOutcome = testOutcome.extend({ last_test_at: at, last_test_ok: z.boolean() });

export const node = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  slug: z.string(),
  version: z.string(),
  package: z.strictObject({ name: z.string(), version: z.string(), label: z.string() }),
  manifest_version: z.string(),
  manifest: object,
  created_at: at,
  updated_at: at,
});

export const nodePackage = z.strictObject({
  name: z.string(),
  version: z.string(),
  label: z.string(),
  nodes: z.array(object),
  credential_types: z.array(object),
  templates: z.array(object),
  images: z.array(object),
  build: z.strictObject({ status: z.enum(['ready', 'failed']), errors: z.array(object) }),
});

export const deadLetter = z.strictObject({
  id,
  workflow_id: id,
  workflow_name: z.string(),
  trigger_id: id,
  source: triggerType,
  trigger_handle: uuid,
  reason: z.string(),
  status: z.enum(['pending', 'replayed', 'discarded']),
  created_at: at,
  updated_at: at,
});

export const run = z.strictObject({
  id,
  workflow_id: id,
  workflow_name: z.string(),
  status: runStatus,
  error: z.string().nullable(),
  trigger_handle: uuid.nullable(),
  trigger_type: z.string(),
  engine_workflow_id: z.string(),
  engine_run_id: z.string(),
  started_at: at.nullable(),
  completed_at: at.nullable(),
  created_at: at,
  updated_at: at,
});

export const runDetail = run.extend({
  payload: json,
  result: z.unknown(),
  revision: z.int(),
  steps: z
    .array(
      z.looseObject({
        node_id: z.string(),
        attempt: z.int(),
        status: z.string(),
        branch: z.string().nullable(),
        outputs: z.unknown(),
        error: z.unknown(),
        logs: z.array(object),
        started_at: at.nullable(),
        completed_at: at.nullable(),
      }),
    )
    .min(1),
});

export const started = z.strictObject({ id, workflow_id: id, status: runStatus });
/** Retry and rerun also say which revision they use. */
export const rerun = started.extend({ revision: z.int() });
export const retried = rerun.extend({ warning: z.string().nullable() });

const counts = (statuses: string[]) =>
  z.strictObject({
    data: z.strictObject({
      total: z.int(),
      by_status: z.strictObject(Object.fromEntries(statuses.map((status) => [status, z.int()]))),
    }),
  });
export const runSummary = counts(runStatus.options);
export const deadLetterSummary = counts(['pending', 'replayed', 'discarded']);

export const workflowRow = z.strictObject({
  id,
  tenant_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  active: z.boolean(),
  revision: z.int().min(1),
  version: z.int().min(1),
  bundle: z.strictObject({
    status: z.enum(['none', 'building', 'ready', 'failed']),
    revision: z.int().nullable(),
    error: z.string().nullable(),
    built_at: at.nullable(),
  }),
  created_at: at,
  updated_at: at,
});
export const workflow = workflowRow.extend({ blob: z.looseObject({ version: z.literal('v1') }) });

export const trigger = z.strictObject({
  id,
  workflow_id: id,
  handle: uuid,
  type: triggerType,
  name: z.string(),
  config: object,
  active: z.boolean(),
  created_at: at,
  updated_at: at,
});

export const workflowCredential = z.strictObject({
  node_id: z.string(),
  field: z.string(),
  credential_id: id,
  credential_type_slug: z.string().nullable(),
});

export const revisionRow = z.strictObject({
  revision: z.int(),
  created_at: at,
  created_by: z.unknown(),
  note: z.string().nullable(),
});
export const revision = revisionRow.extend({ blob: z.looseObject({ version: z.literal('v1') }) });

export const schedule = z.strictObject({
  trigger_id: id,
  trigger_handle: uuid,
  workflow_id: id,
  workflow_name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  active: z.boolean(),
  next_fire_at: at.nullable(),
  last_fired_at: at.nullable(),
  last_run_id: id.nullable(),
  last_run_status: runStatus.nullable(),
});

export const stateNamespace = z.strictObject({
  namespace: z.string(),
  entries: z.int(),
  bytes: z.int(),
  updated_at: at.nullable(),
});
export const stateEntry = z.strictObject({
  key: z.string(),
  value: json,
  version: z.int().min(1),
  expires_at: at.nullable(),
  updated_at: at,
});

export const template = z.looseObject({
  slug: z.string(),
  version: z.string(),
  name: z.string(),
  description: z.string(),
  placeholders: z.array(object),
});

export const secret = z.strictObject({ key: z.string(), created_at: at, updated_at: at });

export const org = z.strictObject({ id: z.string(), name: z.string(), created_at: at });
export const tenant = org.extend({ org_id: z.string() });

const days = z.int().nullable();
export const retention = z.looseObject({ run_days: days, step_days: days, log_days: days, audit_days: days });
