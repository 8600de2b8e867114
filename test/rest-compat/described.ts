import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { compileRoutes } from '#rest/compile.ts';
import { buildOpenApi } from '#rest/openapi/openapi.ts';
import type { RestApi } from '#rest/rest-api.ts';
import { platformApi, serviceApi } from '#test/setup/rest-apis.ts';
import { schema } from '#test/setup/schema.ts';

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addFormat('decimal', /^-?\d+(\.\d+)?$/);

/** The descriptions in an API's openapi.json, to compare responses with. */
function describe(api: RestApi) {
  const { paths, components } = buildOpenApi({
    schema,
    api,
    rows: compileRoutes(schema, api),
    topics: [],
  }) as unknown as Description;
  const validators = new Map<string, ValidateFunction>();
  // Paths without parameters first: `/credentials/test` is not a `/credentials/{id}`.
  const patterns = Object.keys(paths)
    .toSorted((a, b) => a.split('{').length - b.split('{').length)
    .map((path) => ({
      path,
      // A segment may be percent-encoded, and contain any characters.
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));

  /** A validator for any schema of openapi.json, its references resolved; made once, as most answers share a few schemas. */
  function compileSchema(of: object): ValidateFunction {
    const text = JSON.stringify(of);
    const validator = validators.get(text) ?? ajv.compile({ ...of, components });
    validators.set(text, validator);
    return validator;
  }

  /**
   * The parts of a response to `url`, below the API's prefix, that openapi.json does not describe; undefined if it describes all of it, or
   * does not know the request.
   */
  function undescribed(
    method: string,
    url: string,
    { status, body }: { status: number; body: unknown },
  ): string | undefined {
    const [pathname = ''] = url.split('?', 1);
    const path = patterns.find(({ pattern }) => pattern.test(pathname))?.path;
    const operation = path === undefined ? undefined : paths[path]?.[method.toLowerCase()];
    if (!operation) return undefined;
    const name = `${status} of ${method} ${path}`;
    const response = operation.responses[status];
    if (!response) return `openapi.json does not describe the ${name}`;
    const described = response.content?.['application/json']?.schema;
    if (!described) return body === undefined ? undefined : `openapi.json describes no body of the ${name}`;
    const validator = compileSchema(described);
    if (validator(body)) return undefined;
    const [{ instancePath, message } = {}] = validator.errors ?? [];
    return `the body of the ${name} is not as openapi.json tells: ${instancePath} ${message}`;
  }

  return { compileSchema, undescribed };
}

export const describedService = describe(serviceApi);
export const describedPlatform = describe(platformApi);
