import { mkdir, writeFile } from 'node:fs/promises';
import { compileRoutes } from '#rest/compile.ts';
import { faces, withRoutes } from '#rest/faces.ts';
import { openApiOf } from '#rest/openapi.ts';
import { domains } from '#src/domains/domains.ts';
import { loadSchema } from '#src/schema.ts';

// Writes what each REST face answers at /openapi.json into a directory, for `npm run openapi:lint`: `node scripts/openapi-file.ts DIR`.

const [directory = '.'] = process.argv.slice(2);
await mkdir(directory, { recursive: true });
const schema = await loadSchema(domains);
for (const face of await withRoutes(faces, domains)) {
  if (!face.openApi) continue;
  const described = openApiOf(schema, face, compileRoutes(schema, face));
  await writeFile(`${directory}/${face.name}.json`, JSON.stringify(described, null, 2));
}
