import type { Workflow } from '#prisma/client.ts';
import {
  fillTemplate,
  openPlaceholders,
  placeholderPath,
  unknownPlaceholders,
} from '#src/automation/blob/placeholders.rules.ts';
import type { TemplateManifest } from '#src/automation/node-api/manifest.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { asSlug } from '#src/automation/node-api/slug.rules.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { createWorkflow } from '#src/automation/workflows/workflows.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { type FieldErrors, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput, readId } from '#src/infra/inputs.ts';
import { instantiateTemplateInput } from './templates.inputs.ts';

/**
 * Creates a workflow from the latest version of a template. Throws NotFoundError for an unknown slug, and a ValidationError
 * that names each placeholder that is open, unknown, or names a credential of another tenant or type.
 */
export async function instantiateTemplate(
  deps: NodeDeps & RunQueue,
  actor: Actor,
  slug: string,
  given: unknown,
): Promise<Workflow> {
  const { name, credentials, values } = parseInput(instantiateTemplateInput, given);
  const template = await deps.database.global.workflowTemplate.findFirst({
    where: { slug: asSlug(slug) },
    orderBy: [{ versionOrder: 'desc' }, { version: 'desc' }],
    select: { version: true, manifest: true },
  });
  if (!template) throw new NotFoundError();
  const manifest = template.manifest as unknown as TemplateManifest;
  const found = await findCredentials(deps, actor.tenantId, manifest, credentials ?? {});
  const filling = { credentials: found.ids, values: values ?? {} };
  const unknown = unknownPlaceholders(manifest, { credentials: credentials ?? {}, values: values ?? {} });
  const errors = { ...openPlaceholders(manifest, filling), ...found.errors, ...unknown };
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  const workflow = { name, description: manifest.description, blob: fillTemplate(manifest, filling) };
  return createWorkflow(deps, actor, workflow, { template: `${slug} ${template.version}` });
}

/** The credentials given for the template's placeholders. A wrong one is reported without revealing if another tenant has it. */
async function findCredentials(
  { database }: Deps,
  tenantId: string,
  { placeholders = [] }: TemplateManifest,
  given: Record<string, number | string | null>,
): Promise<{ ids: Record<string, number>; errors: FieldErrors }> {
  const wanted = placeholders.flatMap(({ kind, key, credential_types: types = [] }) => {
    const name = kind === 'credential' && Object.hasOwn(given, key) ? given[key] : undefined;
    return name === undefined || name === null ? [] : [{ key, types, id: credentialId(name) }];
  });
  const rows = await database.reader(tenantId).credential.findMany({
    where: { tenantId, id: { in: wanted.flatMap(({ id }) => (id === undefined ? [] : [id])) } },
    select: { id: true, credentialTypeSlug: true },
  });
  const typeById = new Map(rows.map(({ id, credentialTypeSlug }) => [id, credentialTypeSlug]));
  const ids: Record<string, number> = {};
  const errors: FieldErrors = {};
  for (const { key, types, id } of wanted) {
    const type = id === undefined ? undefined : typeById.get(id);
    if (id !== undefined && type !== undefined && types.includes(type)) ids[key] = Number(id);
    else errors[placeholderPath('credential', key)] = [`Name a credential of the type ${types.join(' or ')}.`];
  }
  return { ids, errors };
}

function credentialId(name: number | string): bigint | undefined {
  try {
    return readId('Credential', name);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
