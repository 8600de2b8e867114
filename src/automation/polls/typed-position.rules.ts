import type { JsonPath } from '#src/automation/http-calls/json-path.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';

/** Returns a written position as a number if it goes into a field of type number. Text that a number cannot represent stays text. */
export function typedPosition(fields: readonly ConfigField[], param: JsonPath, text: string): string | number {
  const isNumeric = findField(fields, typeof param === 'string' ? param.split('.') : param)?.type === 'number';
  return isNumeric && String(Number(text)) === text ? Number(text) : text;
}

function findField(fields: readonly ConfigField[], [name, ...rest]: readonly string[]): ConfigField | undefined {
  const field = fields.find(({ key }) => key === name);
  if (!field || rest.length === 0) return field;
  return 'fields' in field && field.fields ? findField(field.fields, rest) : undefined;
}
