import type {
  ApiDescription,
  ApiOperation,
  SkippedOperation,
} from '#src/automation/connectors/descriptions/api-description.ts';
import {
  assertOperationCount,
  type DescriptionSource,
} from '#src/automation/connectors/descriptions/description-source.ts';
import { nameOperations } from '#src/automation/connectors/descriptions/names.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { orReason } from '#src/automation/connectors/descriptions/unsupported.ts';
import { AppError } from '#src/infra/errors.ts';
import { boundOperations, importOperations } from './callables.ts';
import { changeSetOperation } from './change-set.ts';
import { buildModel, type EdmModel } from './edm-model.ts';
import { EdmSchemas } from './edm-schemas.ts';
import { attribute, listChildren, parseEdmx } from './edmx.ts';
import { setOperations, type Draft } from './set-operations.ts';

/** Reads the metadata of an OData service, version 2 or 4: its entity sets and singletons, and its actions and functions. */
export function readOdata(text: string, { hash, from }: DescriptionSource): ApiDescription {
  const written = parseEdmx(text);
  if (written.length === 0) {
    throw new AppError('UNPROCESSABLE', 'The metadata has no schema. Use what the service answers at /$metadata.');
  }
  const model = buildModel(written, !/<[\w:]*Edmx\b[^>]*\sVersion\s*=\s*["']4/.test(text.slice(0, 10_000)));
  const schemas = new EdmSchemas(model);
  const found = listOperations(model, schemas);
  const drafts: (Draft & { tag: string })[] = [];
  const skipped: SkippedOperation[] = [];
  const places = new Set<string>();
  for (const { label, read, tag } of found) {
    const result = orReason(read);
    const place = 'value' in result ? `${result.value.method} ${result.value.path}` : '';
    if ('value' in result && places.has(place)) skipped.push({ operation: plainText(label, 200), reason: sameRequest });
    else if ('reason' in result) skipped.push({ operation: plainText(label, 200), reason: result.reason });
    else drafts.push({ ...result.value, tag });
    places.add(place);
  }
  if (drafts.some(({ method }) => method !== 'GET')) drafts.push({ ...changeSetOperation(model.isV2), tag: 'Batch' });
  const names = nameOperations(drafts.map(({ title, method, path }) => ({ id: title, method, path })));
  return {
    kind: 'odata',
    title: plainText(serviceName(model.namespaces), 80),
    version: model.isV2 ? '2.0' : '4.0',
    hash,
    servers: serviceRoot(from),
    // Metadata does not say how requests authenticate: services take a user's name or a token.
    security: { basic: { type: 'basic' }, bearer: { type: 'bearer' } },
    operations: drafts.map((draft, index) => finish(draft, names[index] ?? '')),
    definitions: schemas.definitions(),
    skipped,
  };
}

const sameRequest = 'Another operation of the service has the same method and path.';

interface Listed {
  label: string;
  read: () => Draft;
  tag: string;
}

function listOperations(model: EdmModel, schemas: EdmSchemas): Listed[] {
  const found: Listed[] = [];
  const add = (operations: [label: string, read: () => Draft][], tag: string): void => {
    for (const [label, read] of operations) found.push({ label, read, tag });
    // Many sets can each have many actions, so they are counted before they are listed.
    assertOperationCount(found.length);
  };
  for (const container of model.containers) {
    for (const set of listChildren(container, 'EntitySet', 'Singleton')) {
      add(setOperations(set, model, schemas), attribute(set, 'Name'));
      add(boundOperations(set, model, schemas), attribute(set, 'Name'));
    }
    for (const imported of listChildren(container, 'ActionImport', 'FunctionImport')) {
      add(importOperations(imported, model, schemas), 'Imports');
    }
  }
  return found;
}

const finish = ({ tag, ...draft }: Draft & { tag: string }, name: string): ApiOperation => ({
  ...draft,
  name,
  title: plainText(draft.title, 80),
  summary: draft.summary ?? '',
  tags: [plainText(tag, 64)],
  deprecated: false,
  headers: { Accept: 'application/json', ...draft.headers },
  security: [['basic'], ['bearer'], []],
});

/**
 * Metadata has no title. The service's name is usually the last part of a namespace: `api_salesorder` of
 * `com.sap.gateway.api_salesorder.v0001`.
 */
function serviceName(namespaces: readonly string[]): string {
  const parts = (namespaces.find((namespace) => namespace !== '') ?? '').split('.');
  return parts.findLast((part) => !/^v?\d+$/i.test(part)) ?? '';
}

function serviceRoot(from: string): ApiDescription['servers'] {
  if (!URL.canParse(from) || !/^https?:/i.test(from)) return [];
  const { origin, pathname } = new URL(from);
  return [{ url: origin + pathname.replace(/\/\$metadata\/?$/, '').replace(/\/+$/, ''), variables: {} }];
}
