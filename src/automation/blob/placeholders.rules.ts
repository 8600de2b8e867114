import type { TemplateManifest, TemplatePlaceholder } from '#src/automation/node-api/manifest.ts';
import { ValidationError } from '#src/infra/errors.ts';
import type { FieldErrors } from '#src/infra/errors.ts';

/** The values for a template's placeholders, by key. */
export interface TemplateFilling {
  credentials?: Record<string, number | string>;
  values?: Record<string, unknown>;
}

/** The blob's own rules refuse deeper blobs; this only keeps the walk from exhausting the stack. */
const maxDepth = 64;

/** Bytes of JSON over all placeholders: one value may fill hundreds of them. */
const maxFilled = 1024 * 1024;

const holeKey = (value: object): string | undefined => {
  const key = '$placeholder' in value ? value.$placeholder : undefined;
  return typeof key === 'string' && Object.keys(value).length === 1 ? key : undefined;
};

function mapHoles(value: unknown, fill: (key: string) => unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) throw new ValidationError({ blob: [`is nested deeper than ${maxDepth} levels`] });
  const key = holeKey(value);
  if (key !== undefined) return fill(key);
  if (Array.isArray(value)) return value.map((item) => mapHoles(item, fill, depth + 1));
  const filled = Object.entries(value).map(([member, inner]) => [member, mapHoles(inner, fill, depth + 1)] as const);
  // An open placeholder removes its member, as if the config had never named it.
  return Object.fromEntries(filled.filter(([, inner]) => inner !== undefined));
}

/** The keys of the placeholders that a blob uses. */
export function placeholdersIn(blob: unknown): Set<string> {
  const keys = new Set<string>();
  mapHoles(blob, (key) => {
    keys.add(key);
    return null;
  });
  return keys;
}

/** Required placeholders that are not filled, by `credentials.<key>` and `values.<key>`. */
export function openPlaceholders(template: TemplateManifest, filling: TemplateFilling): FieldErrors {
  const open = (template.placeholders ?? []).filter(
    (placeholder) => placeholder.required !== false && findFilling(placeholder, filling) === undefined,
  );
  return Object.fromEntries(
    open.map(({ kind, key }) => [placeholderPath(kind, key), ['This placeholder must be filled.']]),
  );
}

const shownUnknown = 20;

/**
 * Keys for which the template has no placeholder of that kind: a misspelt key would silently leave its placeholder unfilled.
 */
export function unknownPlaceholders(
  { placeholders = [] }: TemplateManifest,
  given: { credentials: object; values: object },
): FieldErrors {
  const known = new Set(placeholders.map(({ kind, key }) => placeholderPath(kind, key)));
  const named = (['credential', 'value'] as const).flatMap((kind) =>
    Object.keys(given[`${kind}s`]).map((key) => placeholderPath(kind, key)),
  );
  const unknown = named.filter((path) => !known.has(path)).slice(0, shownUnknown);
  return Object.fromEntries(unknown.map((path) => [path, ['The template has no such placeholder.']]));
}

/** The path under which errors of a placeholder are reported. */
export const placeholderPath = (kind: TemplatePlaceholder['kind'], key: string): string => `${kind}s.${key}`;

/**
 * The template's blob with every placeholder filled.
 * Throws a ValidationError that names each required placeholder left open (`credentials.<key>`, `values.<key>`), and `values`
 * when they make the blob too large.
 */
export function fillTemplate(template: TemplateManifest, filling: TemplateFilling): TemplateManifest['blob'] {
  const errors = openPlaceholders(template, filling);
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  const filled = new Map(
    (template.placeholders ?? []).map((placeholder) => {
      const value = findFilling(placeholder, filling);
      return [placeholder.key, { value, size: Buffer.byteLength(JSON.stringify(value) ?? '') }];
    }),
  );
  let left = maxFilled;
  return mapHoles(template.blob, (key) => {
    const { value, size } = filled.get(key) ?? { size: 0 };
    left -= size;
    if (left < 0)
      throw new ValidationError({
        values: [`They fill the template with more than ${maxFilled} bytes; shorten them.`],
      });
    return value;
  }) as TemplateManifest['blob'];
}

function findFilling(placeholder: TemplatePlaceholder, filling: TemplateFilling): unknown {
  const given = placeholder.kind === 'credential' ? filling.credentials : filling.values;
  if (given !== undefined && Object.hasOwn(given, placeholder.key)) return given[placeholder.key] ?? undefined;
  return placeholder.default;
}
