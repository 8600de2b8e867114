import { mkdir, writeFile } from 'node:fs/promises';
import { AttributeType } from '#prisma/enums.ts';
import { compileRoutes } from '#rest/compile.ts';
import { buildOpenApi } from '#rest/openapi/openapi.ts';
import { apis, withRoutes } from '#rest/rest-apis.ts';
import { attributesSchema } from '#src/commerce/attributes/attribute-values.rules.ts';
import { attributesSchemaName } from '#src/commerce/attributes/attributes.inputs.ts';
import { declarations, domains } from '#src/domains/domains.ts';
import { loadSchema } from '#src/schema.ts';

// Writes each REST API's /openapi.json into a directory, for `npm run openapi:lint`: `node scripts/openapi-file.ts DIR`.

const [directory = '.'] = process.argv.slice(2);
await mkdir(directory, { recursive: true });
// A tenant with an attribute of each type.
const attributes = attributesSchema(
  Object.values(AttributeType).map((type) => ({ code: type, label: type, type, options: ['one'], required: true })),
);
const tenantSchemas = Object.fromEntries(Object.values(attributesSchemaName).map((name) => [name, attributes]));
const { topics } = declarations;
const schema = await loadSchema(domains);
for (const api of await withRoutes(apis, domains)) {
  if (!api.openApi) continue;
  const described = buildOpenApi({ schema, api, rows: compileRoutes(schema, api), topics }, tenantSchemas);
  await writeFile(`${directory}/${api.name}.json`, JSON.stringify(described, null, 2));
}
